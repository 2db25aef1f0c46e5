// A server for a small random model that takes short bodies only, to be asked by http::Client.
#pragma once

#include <QTemporaryDir>

#include "http_client.h"
#include "served_model.h"

class HttpServerUnderTest {
  public:
    HttpServerUnderTest() : m_model(served::model(m_folder)), m_server(m_model, options()) {}

    const cospadi::Model& model() const { return m_model; }
    int port() const { return m_server.port(); }
    bool isAlive() const {
        return http::exchange(port(), "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").status ==
               200;
    }

  private:
    static cospadi::ServerOptions options() {
        cospadi::ServerOptions options;
        options.http.bodyBytes = 100'000;
        return options;
    }

    QTemporaryDir m_folder;
    cospadi::Model m_model;
    served::Server m_server;
};
