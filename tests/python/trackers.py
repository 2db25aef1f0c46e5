"""MLflow, W&B and TensorBoard themselves, for tst_external_records and tst_mlflow_export.

    python trackers.py make mlflow|wandb|tensorboard FOLDER   logs a small run
    python trackers.py read mlflow FOLDER                     tells what MLflow finds there

Prints a line of JSON, {"skipped": why} where this Python lacks the package. Nothing leaves the machine.
"""

import importlib.util
import json
import os
import sys

LOSSES = [2.0, 1.0, 2.0 / 3]


def skip_without(package):
    if importlib.util.find_spec(package) is None:
        print(json.dumps({"skipped": f"this Python has no {package}"}))
        sys.exit(0)


def mlflow_client(folder):
    skip_without("mlflow")
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking_uri="file://" + os.path.abspath(folder))


def make_mlflow(folder):
    client = mlflow_client(folder)
    experiment = client.create_experiment("an experiment")
    run = client.create_run(experiment, run_name="a run").info.run_id
    for step, loss in enumerate(LOSSES):
        client.log_metric(run, "loss", loss, step=step)
    client.log_metric(run, "piqa/acc", 0.5)
    client.log_param(run, "lr", "0.1")
    client.set_tag(run, "who", "a test")
    client.set_terminated(run)


def make_wandb(folder):
    skip_without("wandb")
    os.makedirs(folder)
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DISABLE_CODE="true")
    import wandb

    run = wandb.init(project="a project", name="a run", config={"lr": 0.1}, dir=folder)
    for loss in LOSSES:
        run.log({"loss": loss, "piqa/acc": 0.5})
    run.finish()


def make_tensorboard(folder):
    skip_without("tensorboard")
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.plugins.scalar.summary import scalar_pb
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(os.path.join(folder, "a run"))
    for step, loss in enumerate(LOSSES):
        plain = summary_pb2.Summary(
            value=[summary_pb2.Summary.Value(tag="loss", simple_value=loss)])
        writer.add_event(event_pb2.Event(step=step, wall_time=1.6e9 + step, summary=plain))
        writer.add_event(
            event_pb2.Event(step=step, wall_time=1.6e9 + step, summary=scalar_pb("piqa/acc", 0.5)))
    writer.close()


def read_mlflow(folder):
    client = mlflow_client(folder)
    runs = []
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            history = {name: [[point.step, point.value]
                              for point in client.get_metric_history(run.info.run_id, name)]
                       for name in run.data.metrics}
            runs.append({"name": run.info.run_name, "experiment": experiment.name,
                         "status": run.info.status, "parameters": run.data.params,
                         "metrics": run.data.metrics, "tags": run.data.tags, "history": history,
                         "artefacts": [file.path for file in client.list_artifacts(run.info.run_id)]})
    return {"runs": runs}


if __name__ == "__main__":
    done = globals()[f"{sys.argv[1]}_{sys.argv[2]}"](sys.argv[3])
    print(json.dumps(done or {"made": sys.argv[2]}))
