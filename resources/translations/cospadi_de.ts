<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>cospadi</name>
    <message>
        <source>shorter values (eq 11)</source>
        <translation>kürzere Werte (Gl. 11)</translation>
    </message>
    <message>
        <source>bf16 values (eq 10)</source>
        <translation>bf16-Werte (Gl. 10)</translation>
    </message>
    <message>
        <source>packed: more atoms</source>
        <translation>packed: mehr Atome</translation>
    </message>
    <message>
        <source>packed8: 8-bit atoms</source>
        <translation>packed8: 8-Bit-Atome</translation>
    </message>
    <message>
        <source>integers: few bits</source>
        <translation>integers: wenige Bits</translation>
    </message>
    <message>
        <source>remapped: max(d1, d2) per rank</source>
        <translation>remapped: max(d1, d2) je Rang</translation>
    </message>
    <message>
        <source>there is no column &quot;%1&quot;; available: %2</source>
        <translation>es gibt keine Spalte „%1“; es gibt: %2</translation>
    </message>
    <message>
        <source>line %1 has %2 cells, the header %3</source>
        <translation>Zeile %1 hat %2 Zellen, die Kopfzeile %3</translation>
    </message>
    <message>
        <source>line %1, column &quot;%2&quot;: &quot;%3&quot; is not a number</source>
        <translation>Zeile %1, Spalte „%2“: „%3“ ist keine Zahl</translation>
    </message>
    <message>
        <source>line %1, column &quot;%2&quot;: %3 has no logarithm</source>
        <translation>Zeile %1, Spalte „%2“: %3 hat keinen Logarithmus</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a condition: use COLUMN=VALUE</source>
        <translation>„%1“ ist keine Bedingung: SPALTE=WERT schreiben</translation>
    </message>
    <message>
        <source>there are no rows</source>
        <translation>es gibt keine Zeilen</translation>
    </message>
    <message>
        <source>no row has values and meets the conditions</source>
        <translation>keine Zeile hat Werte und erfüllt die Bedingungen</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>only in the first run</source>
        <translation>nur im ersten Lauf</translation>
    </message>
    <message>
        <source>only in the second run</source>
        <translation>nur im zweiten Lauf</translation>
    </message>
    <message>
        <source>in both</source>
        <translation>in beiden</translation>
    </message>
    <message>
        <source>in both: value first − second, −%1 … %1 and beyond</source>
        <translation>in beiden: Wert erster − zweiter, −%1 … %1 und darüber hinaus</translation>
    </message>
    <message>
        <source>in both, with equal values</source>
        <translation>in beiden, mit gleichen Werten</translation>
    </message>
    <message>
        <source>%1: error %2, %3, %4</source>
        <translation>%1: Fehler %2, %3, %4</translation>
    </message>
    <message>
        <source>%1: error %2 (held out %3), %4, %5</source>
        <translation>%1: Fehler %2 (zurückgehalten %3), %4, %5</translation>
    </message>
    <message>
        <source>warning: %1</source>
        <translation>Warnung: %1</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>fortgesetzt</translation>
    </message>
    <message>
        <source>run %1 after %2</source>
        <translation>Lauf %1 nach %2</translation>
    </message>
    <message>
        <source>mean of %1</source>
        <translation>Mittel von %1</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>Pareto-Front</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>mean whitened relative error</source>
        <translation>mittlerer geweißter relativer Fehler</translation>
    </message>
    <message>
        <source>mean relative error on held-out text</source>
        <translation>mittlerer relativer Fehler auf zurückgehaltenem Text</translation>
    </message>
    <message>
        <source>bytes of the compressed matrices (MB)</source>
        <translation>Bytes der komprimierten Matrizen (MB)</translation>
    </message>
    <message>
        <source>storage removed, as measured</source>
        <translation>weggefallener Speicher, wie gemessen</translation>
    </message>
    <message>
        <source>seconds of compression</source>
        <translation>Sekunden der Kompression</translation>
    </message>
    <message>
        <source>mean accuracy</source>
        <translation>mittlere Genauigkeit</translation>
    </message>
    <message>
        <source>compression ratio</source>
        <translation>Kompressionsrate</translation>
    </message>
    <message>
        <source>ρ = k/s</source>
        <translation>ρ = k/s</translation>
    </message>
    <message>
        <source>iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>a Pareto front for each set of layers</source>
        <translation>eine Pareto-Front für jede Auswahl von Schichten</translation>
    </message>
    <message>
        <source>mean ± std over seeds</source>
        <translation>Mittel ± Std. über Seeds</translation>
    </message>
    <message>
        <source>matrix, in forward order (ticks: block)</source>
        <translation>Matrix, in Vorwärtsreihenfolge (Teilstriche: Block)</translation>
    </message>
    <message>
        <source>whitened relative error</source>
        <translation>geweißter relativer Fehler</translation>
    </message>
    <message>
        <source>These runs have no finished matrix yet.</source>
        <translation>Diese Läufe haben noch keine fertige Matrix.</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>These runs have no iterations: low-rank methods are solved in one step.</source>
        <translation>Diese Läufe haben keine Iterationen: Niedrigrang-Methoden lösen in einem Schritt.</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>second error − first error</source>
        <translation>zweiter Fehler − erster Fehler</translation>
    </message>
    <message>
        <source>SVD-LLM</source>
        <translation>SVD-LLM</translation>
    </message>
    <message>
        <source>SVD</source>
        <translation>SVD</translation>
    </message>
    <message>
        <source>k = &lt;b&gt;%1&lt;/b&gt;, s = &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>k = &lt;b&gt;%1&lt;/b&gt;, s = &lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>whitened relative error &lt;b&gt;%1&lt;/b&gt;</source>
        <translation>geweißter relativer Fehler &lt;b&gt;%1&lt;/b&gt;</translation>
    </message>
    <message>
        <source>plain relative error &lt;b&gt;%1&lt;/b&gt;</source>
        <translation>einfacher relativer Fehler &lt;b&gt;%1&lt;/b&gt;</translation>
    </message>
    <message numerus="yes">
        <source>%1 after %n iteration(s)</source>
        <translation>
            <numerusform>%1 nach %n Iteration</numerusform>
            <numerusform>%1 nach %n Iterationen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, as stored</source>
        <translation>%1, wie gespeichert</translation>
    </message>
    <message>
        <source>%1 at the same bytes: &lt;b&gt;%2&lt;/b&gt;, %3 times ours</source>
        <translation>%1 bei gleichen Bytes: &lt;b&gt;%2&lt;/b&gt;, das %3-Fache</translation>
    </message>
    <message>
        <source>%1, CR %2</source>
        <translation>%1, CR %2</translation>
    </message>
    <message>
        <source>%1, ρ %2</source>
        <translation>%1, ρ %2</translation>
    </message>
    <message>
        <source>as stored, values rounded</source>
        <translation>wie gespeichert, Werte gerundet</translation>
    </message>
    <message>
        <source>this setting</source>
        <translation>diese Einstellung</translation>
    </message>
    <message>
        <source>CR %1</source>
        <translation>CR %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>k</source>
        <translation>k</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>low rank</source>
        <translation>Niedrigrang</translation>
    </message>
    <message>
        <source>times ours</source>
        <translation>mal unser Fehler</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <source>%1 of %2 solved</source>
        <translation>%1 von %2 gelöst</translation>
    </message>
    <message>
        <source>solving …</source>
        <translation>wird gelöst …</translation>
    </message>
    <message>
        <source>done in %1</source>
        <translation>fertig in %1</translation>
    </message>
    <message>
        <source>%1 · not calibrated</source>
        <translation>%1 · nicht kalibriert</translation>
    </message>
    <message>
        <source>Linear layers: %1 here (%2), %3 as bf16</source>
        <translation>Lineare Schichten: hier %1 (%2), %3 als bf16</translation>
    </message>
    <message>
        <source>Linear layers: %1 as bf16</source>
        <translation>Lineare Schichten: %1 als bf16</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 parameters · %4
%5 blocks · width %6 · feed-forward %7 · %8 heads (%9 KV)</source>
        <translation>%1 · %2 · %3 Parameter · %4
%5 Blöcke · Breite %6 · Feed-Forward %7 · %8 Köpfe (%9 KV)</translation>
    </message>
    <message>
        <source>Second run</source>
        <translation>Zweiter Lauf</translation>
    </message>
    <message>
        <source>its atoms k</source>
        <translation>dessen Atome k</translation>
    </message>
    <message>
        <source>matched atoms</source>
        <translation>zugeordnete Atome</translation>
    </message>
    <message>
        <source>their mean |cos|</source>
        <translation>deren mittlerer |cos|</translation>
    </message>
    <message>
        <source>entries in both</source>
        <translation>Einträge in beiden</translation>
    </message>
    <message>
        <source>difference of W̃</source>
        <translation>Differenz von W̃</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>Erster Lauf</translation>
    </message>
    <message>
        <source>Second run: %1</source>
        <translation>Zweiter Lauf: %1</translation>
    </message>
    <message>
        <source>atoms k</source>
        <translation>Atome k</translation>
    </message>
    <message>
        <source>columns d₁ (inputs)</source>
        <translation>Spalten d₁ (Eingänge)</translation>
    </message>
    <message>
        <source>columns d₂ (outputs)</source>
        <translation>Spalten d₂ (Ausgänge)</translation>
    </message>
    <message>
        <source>non-zeros</source>
        <translation>Nichtnulleinträge</translation>
    </message>
    <message>
        <source>per column, on average</source>
        <translation>je Spalte, im Mittel</translation>
    </message>
    <message>
        <source>density</source>
        <translation>Dichte</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>dead atoms</source>
        <translation>tote Atome</translation>
    </message>
    <message>
        <source>most used atom</source>
        <translation>meistgenutztes Atom</translation>
    </message>
    <message>
        <source>least used atom</source>
        <translation>am wenigsten genutztes Atom</translation>
    </message>
    <message>
        <source>usage entropy</source>
        <translation>Nutzungsentropie</translation>
    </message>
    <message>
        <source>mutual coherence</source>
        <translation>gegenseitige Kohärenz</translation>
    </message>
    <message>
        <source>mean |cos| of atoms</source>
        <translation>mittlerer |cos| der Atome</translation>
    </message>
    <message>
        <source>clusters of columns</source>
        <translation>Cluster von Spalten</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n Schicht</numerusform>
            <numerusform>%n Schichten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 runs of %2</source>
        <translation>%1 Läufe von je %2</translation>
    </message>
    <message>
        <source>%1: %2 → %3</source>
        <translation>%1: %2 → %3</translation>
    </message>
    <message>
        <source>about %1 + %2 calibration</source>
        <translation>etwa %1 + %2 Kalibrierung</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>W</source>
        <translation>W</translation>
    </message>
    <message>
        <source>whitened, L W</source>
        <translation>geweißt, L W</translation>
    </message>
    <message>
        <source>rank %1: what a low-rank method keeps at CR %2</source>
        <translation>Rang %1: was eine Niedrigrang-Methode bei CR %2 behält</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; &amp;nbsp; d₁ × d₂ = %2 × %3 &amp;nbsp;·&amp;nbsp; stored as %4, %5 &amp;nbsp;·&amp;nbsp; mean %6, deviation %7, from %8 to %9</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; &amp;nbsp; d₁ × d₂ = %2 × %3 &amp;nbsp;·&amp;nbsp; gespeichert als %4, %5 &amp;nbsp;·&amp;nbsp; Mittel %6, Streuung %7, von %8 bis %9</translation>
    </message>
    <message>
        <source>&lt;br&gt;&lt;span style=&apos;color:%1&apos;&gt;the leading %2 of %3 singular values hold %4 of the %5 energy: a low-rank method leaves a relative error of &lt;b&gt;%6&lt;/b&gt;&lt;/span&gt;</source>
        <translation>&lt;br&gt;&lt;span style=&apos;color:%1&apos;&gt;die führenden %2 von %3 Singulärwerten enthalten %4 der Energie (%5): eine Niedrigrang-Methode verliert einen relativen Fehler von &lt;b&gt;%6&lt;/b&gt;&lt;/span&gt;</translation>
    </message>
    <message>
        <source>whitened</source>
        <translation>geweißt</translation>
    </message>
    <message>
        <source>plain</source>
        <translation>einfach</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>by sensitivity</source>
        <translation>nach Empfindlichkeit</translation>
    </message>
    <message>
        <source>uniform, as published</source>
        <translation>gleichmäßig (Paper)</translation>
    </message>
    <message>
        <source>CR (%)</source>
        <translation>CR (%)</translation>
    </message>
    <message>
        <source>matrices</source>
        <translation>Matrizen</translation>
    </message>
    <message>
        <source>whole model</source>
        <translation>ganzes Modell</translation>
    </message>
    <message>
        <source>loss (nats)</source>
        <translation>Verlust (Nat)</translation>
    </message>
    <message>
        <source>One more megabyte gains %1 nats per token, %2 % of the perplexity.</source>
        <translation>Das nächste Megabyte bringt %1 Nat je Token, %2 % der Perplexität.</translation>
    </message>
    <message>
        <source>The uncompressed model: %1 on the %2 tokens of %3.</source>
        <translation>Das Modell, wie es ist: %1 auf den %2 Tokens von %3.</translation>
    </message>
    <message>
        <source>Not reliable as it stands:</source>
        <translation>So, wie es dasteht, nicht verlässlich:</translation>
    </message>
    <message>
        <source>%1, %2 (paper, table %3)</source>
        <translation>%1, %2 (Paper, Tabelle %3)</translation>
    </message>
    <message>
        <source>method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>ρ</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>%1, held out</source>
        <translation>%1, zurückgehalten</translation>
    </message>
    <message>
        <source>%1, held out, as stored in the file</source>
        <translation>%1, zurückgehalten, wie in der Datei gespeichert</translation>
    </message>
    <message>
        <source>%1, as stored in the file</source>
        <translation>%1, wie in der Datei gespeichert</translation>
    </message>
    <message>
        <source>Continuation</source>
        <translation>Fortsetzung</translation>
    </message>
    <message>
        <source>log p, first</source>
        <translation>log p, erstes</translation>
    </message>
    <message>
        <source>log p, second</source>
        <translation>log p, zweites</translation>
    </message>
    <message>
        <source>✓ marks the right answer; bold, the one a model finds most likely.</source>
        <translation>✓ ist die richtige Antwort; fett ist, was ein Modell am wahrscheinlichsten findet.</translation>
    </message>
    <message>
        <source>“%1” is neither a number nor first:last:step</source>
        <translation>„%1“ ist weder eine Zahl noch erste:letzte:Schritt</translation>
    </message>
    <message>
        <source>“%1” has more than %2 values</source>
        <translation>„%1“ hat mehr als %2 Werte</translation>
    </message>
    <message>
        <source>These lists give %1 runs; the limit is %2</source>
        <translation>Diese Listen ergeben %1 Läufe; höchstens %2</translation>
    </message>
    <message>
        <source>There is no task “%1”; available: %2</source>
        <translation>Eine Aufgabe „%1“ gibt es nicht, aber %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 › %2</source>
        <translation>%1 › %2</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>geplant</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>the picture could not be drawn</source>
        <translation>das Bild konnte nicht gezeichnet werden</translation>
    </message>
    <message>
        <source>baseline: %1</source>
        <translation>Baseline: %1</translation>
    </message>
    <message>
        <source>%1 in the model&apos;s file (%2)</source>
        <translation>%1 in der Modelldatei (%2)</translation>
    </message>
    <message>
        <source>%1 on disk</source>
        <translation>%1 auf der Platte</translation>
    </message>
    <message>
        <source>%1 as bf16</source>
        <translation>%1 als bf16</translation>
    </message>
    <message>
        <source>all its layers: %1</source>
        <translation>von allen seinen Schichten: %1</translation>
    </message>
    <message>
        <source>The result is larger than its source.</source>
        <translation>Das Ergebnis ist größer als seine Quelle.</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Click to remove the star</source>
        <translation>Klick: nimmt den Stern weg</translation>
    </message>
    <message>
        <source>Click to star this run</source>
        <translation>Klick: gibt diesem Lauf einen Stern</translation>
    </message>
    <message>
        <source>%1 (F2 to edit; separated by commas)</source>
        <translation>%1 (F2 bearbeitet; durch Kommas getrennt)</translation>
    </message>
    <message>
        <source>%1 (F2 adds a note; earlier ones are kept)</source>
        <translation>%1 (F2 schreibt eine neue Notiz; frühere bleiben erhalten)</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Name of the run&apos;s directory</source>
        <translation>Name des Verzeichnisses des Laufs</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Whether the run has finished; interrupted and cancelled runs can be resumed</source>
        <translation>fertig, oder warum nicht: unterbrochene und abgebrochene Läufe können fortgesetzt werden</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Compression method, and its solver where it learns a dictionary</source>
        <translation>Kompressionsmethode, und ihr Solver, wo sie ein Wörterbuch lernt</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Regular expression of the layers (number of finished matrices)</source>
        <translation>Regulärer Ausdruck der Schichten (Zahl der fertigen Matrizen)</translation>
    </message>
    <message>
        <source>Requested compression ratio γ: the fraction of storage to remove</source>
        <translation>Verlangte Kompressionsrate γ: der Anteil des Speichers, der wegfallen soll</translation>
    </message>
    <message>
        <source>ρ = k/s: atoms per non-zero of a column</source>
        <translation>ρ = k/s: Atome je Nichtnulleintrag einer Spalte</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Bytes of the compressed matrices on disk, mask included; coloured where the model&apos;s own file stores the same layers in fewer</source>
        <translation>Bytes der komprimierten Matrizen auf der Platte, mit Maske; farbig, wo die eigene Datei des Modells dieselben Schichten in weniger Bytes enthält</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Size and type of the same layers in the model&apos;s own file</source>
        <translation>Was dieselben Schichten in der eigenen Datei des Modells belegen, und in welchem Typ</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespart</translation>
    </message>
    <message>
        <source>Measured fraction of storage removed: 1 − bytes / dense bytes (bf16)</source>
        <translation>Weggefallener Anteil des Speichers, wie gemessen: 1 − Bytes / dichte Bytes (bf16)</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Perpl.</source>
        <translation>Perpl.</translation>
    </message>
    <message>
        <source>Perplexity, where measured (lower is better)</source>
        <translation>Perplexität, wo sie gemessen wurde (kleiner ist besser)</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Wall-clock time of the run</source>
        <translation>Dauer des Laufs</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Datum</translation>
    </message>
    <message>
        <source>When the run was created</source>
        <translation>Wann der Lauf angelegt wurde</translation>
    </message>
    <message>
        <source>★</source>
        <translation>★</translation>
    </message>
    <message>
        <source>Starred runs: click to star or unstar a run</source>
        <translation>Läufe mit Stern: ein Klick auf den Stern setzt ihn oder nimmt ihn weg</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Tags, separated by commas; quote a tag that contains a comma; F2 to edit</source>
        <translation>Schlagwörter, durch Kommas getrennt; eines, das ein Komma enthält, in Anführungszeichen; F2 bearbeitet sie</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>The latest note; F2 adds a new one</source>
        <translation>Die letzte Notiz; F2 schreibt eine neue</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The model&apos;s file</source>
        <translation>Die Datei des Modells</translation>
    </message>
    <message>
        <source>%1 is not a whole number between %2 and %3</source>
        <translation>%1 ist keine ganze Zahl zwischen %2 und %3</translation>
    </message>
    <message>
        <source>%1 is not a number between %2 and %3</source>
        <translation>%1 ist keine Zahl zwischen %2 und %3</translation>
    </message>
    <message>
        <source>blocks %1 to %2 are left out: error of the hidden states %3, without the linear map %4</source>
        <translation>Blöcke %1 bis %2 werden ausgelassen: Fehler der verborgenen Zustände %3, ohne die lineare Abbildung %4</translation>
    </message>
    <message>
        <source>%1 (finished: last value)</source>
        <translation>%1 (beendete: ihr letzter)</translation>
    </message>
    <message>
        <source>plain relative error</source>
        <translation>einfacher relativer Fehler</translation>
    </message>
    <message>
        <source>relative error (plain where data-free)</source>
        <translation>relativer Fehler (einfach, wo datenfrei)</translation>
    </message>
    <message>
        <source>mean plain relative error</source>
        <translation>mittlerer einfacher relativer Fehler</translation>
    </message>
    <message>
        <source>mean relative error (plain where data-free)</source>
        <translation>mittlerer relativer Fehler (einfach, wo datenfrei)</translation>
    </message>
    <message>
        <source>of the output on the calibration text (“whitened”)</source>
        <translation>der Ausgabe auf dem Kalibrierungstext („geweißt“)</translation>
    </message>
    <message>
        <source>of the weight itself, as the method is data-free (“plain”)</source>
        <translation>des Gewichts selbst, da das Verfahren datenfrei ist („einfach“)</translation>
    </message>
    <message>
        <source>‖L W − D S‖ / ‖L W‖ (Frobenius): the part of a layer&apos;s output that is
lost on the calibration data. L is the whitening factor, LᵀL = XᵀX.</source>
        <translation>‖L W − D S‖ / ‖L W‖ (Frobenius): der Anteil der Ausgabe einer Schicht, der
auf den Kalibrierungsdaten verloren geht. L ist der Weißungsfaktor, LᵀL = XᵀX.</translation>
    </message>
    <message>
        <source>‖W − D S‖ / ‖W‖ (Frobenius): the part of the weight that is lost.
The method reads no text.</source>
        <translation>‖W − D S‖ / ‖W‖ (Frobenius): der Anteil des Gewichts, der verloren geht.
Das Verfahren liest keinen Text.</translation>
    </message>
    <message>
        <source>Mean over matrices of the relative error ‖L W − D S‖ / ‖L W‖: the part of a layer&apos;s output that is lost on the calibration text (“whitened”); of data-free methods that of the weight itself, ‖W − D S‖ / ‖W‖</source>
        <translation>Mittel des relativen Fehlers ‖L W − D S‖ / ‖L W‖ über die Matrizen: der Anteil der Ausgabe einer Schicht, der auf dem Kalibrierungstext verloren geht („geweißt“); bei datenfreien Verfahren der des Gewichts selbst, ‖W − D S‖ / ‖W‖</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>in Arbeit</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>None of these runs has the setting %1.</source>
        <translation>Keiner dieser Läufe hat die Einstellung %1.</translation>
    </message>
    <message>
        <source>no %1</source>
        <translation>ohne %1</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>alle Schichten</translation>
    </message>
    <message>
        <source>its folder no longer exists</source>
        <translation>der Ordner ist nicht mehr da</translation>
    </message>
    <message>
        <source>its events cannot be read</source>
        <translation>die Ereignisse sind nicht lesbar</translation>
    </message>
    <message numerus="yes">
        <source>run started: %n matri(x|ces), %1 already finished, in %2</source>
        <translation>
            <numerusform>Lauf begonnen: %n Matrix, %1 schon fertig, in %2</numerusform>
            <numerusform>Lauf begonnen: %n Matrizen, %1 schon fertig, in %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>run started: %n matri(x|ces), in %1</source>
        <translation>
            <numerusform>Lauf begonnen: %n Matrix, in %1</numerusform>
            <numerusform>Lauf begonnen: %n Matrizen, in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 column(s)</source>
        <translation>
            <numerusform>%1 Spalte</numerusform>
            <numerusform>%1 Spalten</numerusform>
        </translation>
    </message>
    <message>
        <source>atoms in use, K_active</source>
        <translation>Atome in Gebrauch, K_active</translation>
    </message>
    <message>
        <source>multiplications per token</source>
        <translation>Multiplikationen je Token</translation>
    </message>
    <message>
        <source>%1, measured</source>
        <translation>%1, gemessen</translation>
    </message>
    <message numerus="yes">
        <source>axis %1, %2 of %3: brushed from %4 to %5; %n run(s) inside</source>
        <translation>
            <numerusform>Achse %1, %2 von %3: markiert von %4 bis %5; %n Lauf darin</numerusform>
            <numerusform>Achse %1, %2 von %3: markiert von %4 bis %5; %n Läufe darin</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>axis %1, %2 of %3: from %4 to %5; %n run(s) inside</source>
        <translation>
            <numerusform>Achse %1, %2 von %3: von %4 bis %5; %n Lauf darin</numerusform>
            <numerusform>Achse %1, %2 von %3: von %4 bis %5; %n Läufe darin</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>atom %1 (used by %n column(s))</source>
        <translation>
            <numerusform>Atom %1 (von %n Spalte genutzt)</numerusform>
            <numerusform>Atom %1 (von %n Spalten genutzt)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>column %1 (uses %n atom(s))</source>
        <translation>
            <numerusform>Spalte %1 (nutzt %n Atom)</numerusform>
            <numerusform>Spalte %1 (nutzt %n Atome)</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2: no entry</source>
        <translation>%1, %2: kein Eintrag</translation>
    </message>
    <message>
        <source>%1, %2: value %3</source>
        <translation>%1, %2: Wert %3</translation>
    </message>
    <message>
        <source>in neither</source>
        <translation>in keinem</translation>
    </message>
    <message>
        <source>in both, value first − second %1</source>
        <translation>in beiden, Wert erster − zweiter %1</translation>
    </message>
    <message>
        <source>%1 · %2, column %3: %4</source>
        <translation>%1 · %2, Spalte %3: %4</translation>
    </message>
    <message>
        <source>no atom of the first run</source>
        <translation>kein Atom des ersten Laufs</translation>
    </message>
    <message>
        <source>none of the second</source>
        <translation>keines des zweiten</translation>
    </message>
    <message>
        <source>atom %1 of the second</source>
        <translation>Atom %1 des zweiten</translation>
    </message>
    <message>
        <source>Nothing was saved: %1</source>
        <translation>Nichts wurde gespeichert: %1</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>multiplications per token (millions)</source>
        <translation>Multiplikationen je Token (Millionen)</translation>
    </message>
    <message>
        <source>Not measured</source>
        <translation>Nicht gemessen</translation>
    </message>
    <message>
        <source>%1
Not comparable: most runs are measured on %2</source>
        <translation>%1
Nicht vergleichbar: Die meisten Läufe sind auf %2 gemessen</translation>
    </message>
    <message>
        <source>Perplexity (lower is better) on %1; an asterisk marks another text, context or length, which is not compared</source>
        <translation>Perplexität (kleiner ist besser) auf %1; ein Sternchen steht für einen anderen Text, Kontext oder eine andere Länge und wird nicht verglichen</translation>
    </message>
    <message>
        <source>no estimate yet</source>
        <translation>noch keine Schätzung</translation>
    </message>
    <message>
        <source>%1
Not a finite number</source>
        <translation>%1
Keine endliche Zahl</translation>
    </message>
</context>
<context>
    <name>cospadi::engine</name>
    <message>
        <source>Activation order</source>
        <translation>Aktivierungsreihenfolge</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>CG steps of pursuit</source>
        <translation>CG-Schritte des Pursuit</translation>
    </message>
    <message>
        <source>Damping</source>
        <translation>Dämpfung</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>Gruppengröße</translation>
    </message>
    <message>
        <source>Importance exponent</source>
        <translation>Exponent der Wichtigkeit</translation>
    </message>
    <message>
        <source>Output metric</source>
        <translation>Ausgabemetrik</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Pursuit steps</source>
        <translation>Pursuit-Schritte</translation>
    </message>
    <message>
        <source>Restored share</source>
        <translation>Zurückgegebener Anteil</translation>
    </message>
    <message>
        <source>Shared by</source>
        <translation>Geteilt von</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>alle gleich</translation>
    </message>
    <message>
        <source>Zero point</source>
        <translation>Nullpunkt</translation>
    </message>
    <message>
        <source>same CR for all</source>
        <translation>gleiche CR für alle</translation>
    </message>
    <message>
        <source>by sensitivity</source>
        <translation>nach Empfindlichkeit</translation>
    </message>
    <message>
        <source>SVD-LLM V2</source>
        <translation>SVD-LLM V2</translation>
    </message>
    <message>
        <source>COMPOT</source>
        <translation>COMPOT</translation>
    </message>
    <message>
        <source>ROCKET</source>
        <translation>ROCKET</translation>
    </message>
    <message>
        <source>dictionary</source>
        <translation>Wörterbuch</translation>
    </message>
    <message>
        <source>values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>codes</source>
        <translation>Codes</translation>
    </message>
    <message>
        <source>scales</source>
        <translation>Skalen</translation>
    </message>
    <message>
        <source>minimums</source>
        <translation>Minima</translation>
    </message>
    <message>
        <source>places</source>
        <translation>Stellen</translation>
    </message>
    <message>
        <source>left factor</source>
        <translation>linker Faktor</translation>
    </message>
    <message>
        <source>right factor</source>
        <translation>rechter Faktor</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>dense</source>
        <translation>dicht</translation>
    </message>
    <message>
        <source>Metric of groups</source>
        <translation>Metrik der Gruppen</translation>
    </message>
    <message>
        <source>Pattern of codes</source>
        <translation>Muster der Codes</translation>
    </message>
    <message>
        <source>Blocks left out</source>
        <translation>Ausgelassene Blöcke</translation>
    </message>
</context>
<context>
    <name>cospadi::help</name>
    <message>
        <source>round to nearest: integers of a few bits, one scale per group</source>
        <translation>zum Nächsten gerundet: Ganzzahlen von wenigen Bits, eine Skala je Gruppe</translation>
    </message>
    <message>
        <source>integers of a few bits, with an input&apos;s error compensated by the inputs after it</source>
        <translation>Ganzzahlen von wenigen Bits, der Fehler eines Eingangs von den folgenden ausgeglichen</translation>
    </message>
    <message>
        <source>zeros where weight times input norm is smallest</source>
        <translation>Nullen, wo Gewicht mal Norm des Eingangs am kleinsten ist</translation>
    </message>
    <message>
        <source>zeros compensated by the weights after them</source>
        <translation>Nullen, die von den Gewichten dahinter ausgeglichen werden</translation>
    </message>
    <message>
        <source>fewer blocks, with a linear map folded into the layer before the removed ones</source>
        <translation>weniger Blöcke, eine lineare Abbildung in die Schicht vor ihnen gefaltet</translation>
    </message>
    <message>
        <source>truncated SVD of the weight</source>
        <translation>abgeschnittene SVD des Gewichts</translation>
    </message>
    <message>
        <source>truncated SVD of the weight with rows scaled by their Fisher information</source>
        <translation>abgeschnittene SVD des Gewichts, dessen Zeilen mit ihrer Fisher-Information skaliert sind</translation>
    </message>
    <message>
        <source>truncated SVD of the weight with rows scaled by the size of their inputs</source>
        <translation>abgeschnittene SVD des Gewichts, dessen Zeilen mit der Größe ihrer Eingänge skaliert sind</translation>
    </message>
    <message>
        <source>truncated SVD of the whitened weight</source>
        <translation>abgeschnittene SVD des geweißten Gewichts</translation>
    </message>
    <message>
        <source>truncated SVD of the whitened weight, by the Gram&apos;s spectrum</source>
        <translation>abgeschnittene SVD des geweißten Gewichts, über das Spektrum der Gram-Matrix</translation>
    </message>
    <message>
        <source>orthonormal dictionary of the whitened weight, by Procrustes steps</source>
        <translation>orthonormales Wörterbuch des geweißten Gewichts, in Procrustes-Schritten</translation>
    </message>
    <message>
        <source>eigenvectors of the whitened weight, thresholded once</source>
        <translation>Eigenvektoren des geweißten Gewichts, Koeffizienten einmal mit Schwellwert</translation>
    </message>
    <message>
        <source>a sparse dictionary for two layers, each in the metric of its own inputs</source>
        <translation>ein dünn besetzt genutztes Wörterbuch für zwei Schichten, jede in der Metrik ihrer eigenen Eingänge</translation>
    </message>
    <message>
        <source>sparse dictionary learning on the weight itself</source>
        <translation>Wörterbuch und dünn besetzte Codes, am Gewicht selbst gelernt</translation>
    </message>
    <message>
        <source>sparse dictionary learning on the whitened weight</source>
        <translation>Wörterbuch und dünn besetzte Codes, am geweißten Gewicht gelernt</translation>
    </message>
    <message>
        <source>the same CR for every matrix</source>
        <translation>jede Matrix dieselbe CR</translation>
    </message>
    <message>
        <source>the same total bytes, with more for matrices whose errors cost the predictions more</source>
        <translation>insgesamt dieselben Bytes, mehr davon, wo Fehler die Vorhersagen mehr kosten</translation>
    </message>
    <message>
        <source>within matrices of a kind, more where a truncated SVD of the whitened weight loses more</source>
        <translation>unter Matrizen einer Art mehr, wo eine abgeschnittene SVD des geweißten Gewichts mehr verliert</translation>
    </message>
    <message>
        <source>one cut through the singular values of all normalised weights</source>
        <translation>ein Schnitt durch die Singulärwerte aller normierten Gewichte</translation>
    </message>
    <message>
        <source>the smallest sum of the weights&apos; errors, none far above their mean</source>
        <translation>die kleinste Summe der Fehler der Gewichte, keiner weit über ihrem Mittel</translation>
    </message>
    <message>
        <source>on: round inputs with the largest Gram diagonal first, with scales fixed beforehand; off: round in the layer&apos;s order, with scales determined on the way</source>
        <translation>on: Eingänge mit der größten Diagonale der Gram-Matrix werden zuerst gerundet, mit vorher festgelegten Skalen; off: in der Reihenfolge der Schicht, Skalen unterwegs bestimmt</translation>
    </message>
    <message>
        <source>in the layer&apos;s order</source>
        <translation>wie die Schicht sie hat</translation>
    </message>
    <message>
        <source>the largest Gram diagonal first</source>
        <translation>die mit der größten Diagonale der Gram-Matrix zuerst</translation>
    </message>
    <message>
        <source>asvd: scale rows of W by the size of their inputs to this power; 0: no scaling</source>
        <translation>asvd: Zeilen von W werden mit der Größe ihrer Eingänge hoch diesem Exponenten skaliert; 0: gar nicht</translation>
    </message>
    <message>
        <source>Bits per code</source>
        <translation>Bits eines Codes</translation>
    </message>
    <message>
        <source>Number of consecutive blocks to remove from the model; 0: as implied by the compression ratio</source>
        <translation>Wie viele aufeinanderfolgende Blöcke des Modells ausgelassen werden; 0: so viele, wie die CR verlangt</translation>
    </message>
    <message>
        <source>Which atoms a column of S may use: unstructured: any; N:M, such as 2:4: N of every M consecutive ones, so that ρ is M/N and each group stores the number of its combination</source>
        <translation>Welche Atome eine Spalte von S nutzen darf: unstructured: beliebige; N:M, etwa 2:4: N von je M aufeinanderfolgenden, sodass ρ gleich M/N ist und eine Gruppe die Nummer ihrer Auswahl speichert</translation>
    </message>
    <message>
        <source>any s atoms per column, as in the paper</source>
        <translation>beliebige s Atome einer Spalte, das Paper</translation>
    </message>
    <message>
        <source>two of every four atoms, ρ 2</source>
        <translation>zwei von je vier Atomen, ρ 2</translation>
    </message>
    <message>
        <source>four of every eight atoms, ρ 2</source>
        <translation>vier von je acht Atomen, ρ 2</translation>
    </message>
    <message>
        <source>one of every four atoms, ρ 4</source>
        <translation>eines von je vier Atomen, ρ 4</translation>
    </message>
    <message>
        <source>Added to the Gram&apos;s diagonal, relative to its mean, while errors are fed forward</source>
        <translation>Auf der Diagonale der Gram-Matrix, mal deren Mittel, während Fehler weitergereicht werden</translation>
    </message>
    <message>
        <source>groups: metric for the errors of sharing layers: mean: mean of their Grams, as in the paper; balanced: the same with every layer and Gram scaled to one size, so that relative errors count equally; probed: balanced, weighted by the cost of a layer&apos;s errors to the predictions, measured once per model; own: each layer&apos;s own Gram</source>
        <translation>Gruppen: worin die Fehler von Schichten zählen, die sich etwas teilen: mean: im Mittel ihrer Gram-Matrizen, das Paper; balanced: ebenso, jede Schicht und Gram-Matrix auf eine Größe skaliert; probed: so, und gewichtet danach, was die Fehler einer Schicht die Vorhersagen kosten, was einmal je Modell gemessen wird; own: jede in ihrer eigenen</translation>
    </message>
    <message>
        <source>the mean of the layers&apos; Grams, as in the paper</source>
        <translation>das Mittel der Gram-Matrizen der Schichten, das Paper</translation>
    </message>
    <message>
        <source>the mean of the Grams, but with equal weight for each layer&apos;s relative error</source>
        <translation>das Mittel der Gram-Matrizen, aber relative Fehler zählen: jede Schicht gleich viel</translation>
    </message>
    <message>
        <source>the same, but weighted by the measured cost to the predictions</source>
        <translation>ebenso, jede so viel, wie sie laut Proben die Vorhersagen kostet</translation>
    </message>
    <message>
        <source>each layer&apos;s own Gram: exact</source>
        <translation>die eigene Gram-Matrix jeder Schicht: exakt</translation>
    </message>
    <message>
        <source>Number of inputs of an output that share a scale; must divide the layer&apos;s inputs</source>
        <translation>Eingänge eines Ausgangs, die sich eine Skala teilen; teilt die Eingänge der Schicht</translation>
    </message>
    <message>
        <source>Layers that share a dictionary or left factor: pairs (or a number) of neighbouring blocks, adaptive (pairs of a kind by an estimate), kind, inputs (q, k, v; gate, up), inputs-4 (the same over four neighbouring blocks), all-4 (as inputs-4, and attn_output with ffn_down over their outputs), or a list such as &apos;blk.0.attn_q+blk.1.attn_q;…&apos;</source>
        <translation>Schichten, die sich ein Wörterbuch oder einen linken Faktor teilen: pairs (oder eine Zahl) benachbarter Blöcke, adaptive (Paare einer Art nach einer Schätzung), kind (Art), inputs (q, k, v; gate, up), inputs-4 (die von vier benachbarten Blöcken), all-4 (diese, und attn_output mit ffn_down über ihre Ausgänge), oder eine Liste wie &apos;blk.0.attn_q+blk.1.attn_q;…&apos;</translation>
    </message>
    <message>
        <source>every layer on its own</source>
        <translation>jede Schicht für sich</translation>
    </message>
    <message>
        <source>two neighbouring blocks, kind by kind; attn_output and ffn_down on their own</source>
        <translation>zwei benachbarte Blöcke, Art für Art; attn_output und ffn_down allein</translation>
    </message>
    <message>
        <source>all layers of a kind</source>
        <translation>alle Schichten einer Art</translation>
    </message>
    <message>
        <source>q, k and v of a block; gate and up</source>
        <translation>q, k und v eines Blocks; gate und up</translation>
    </message>
    <message>
        <source>q, k and v of four neighbouring blocks; gate and up</source>
        <translation>q, k und v von vier benachbarten Blöcken; gate und up</translation>
    </message>
    <message>
        <source>the same, and attn_output with ffn_down over their outputs</source>
        <translation>diese; und attn_output mit ffn_down, über ihre Ausgänge</translation>
    </message>
    <message>
        <source>two layers of a kind chosen by an estimate, or a single one</source>
        <translation>zwei Schichten einer Art, die eine Schätzung findet, oder eine allein</translation>
    </message>
    <message>
        <source>Coefficients of a column to keep: those with the largest |c_ij| ‖L⁻¹ b_i‖^λ; 0: importance in the metric of the inputs, 1: in the weight itself</source>
        <translation>Welche Koeffizienten einer Spalte bleiben: die mit dem größten |c_ij| ‖L⁻¹ b_i‖^λ; 0: was sie in der Metrik der Eingänge wert sind, 1: im Gewicht selbst</translation>
    </message>
    <message>
        <source>Weight of the errors of a layer&apos;s outputs: none: equal; fisher: by their cost to the predictions, from gradients of the loss on the calibration text</source>
        <translation>Wie viel Fehler der Ausgänge einer Schicht zählen: alle gleich; oder fisher: was sie die Vorhersagen kosten, nach Gradienten des Verlusts auf dem Kalibrierungstext</translation>
    </message>
    <message>
        <source>equal weight for every output, as published</source>
        <translation>jeder Ausgang zählt gleich viel, wie veröffentlicht</translation>
    </message>
    <message>
        <source>by the gradients of the loss at the beginning of the calibration text</source>
        <translation>nach den Gradienten des Verlusts auf dem Anfang des Kalibrierungstextes</translation>
    </message>
    <message>
        <source>Which weights may be kept: unstructured: any; N:M, such as 2:4: N of every M inputs of an output, regardless of the compression ratio; M must divide the layer&apos;s inputs</source>
        <translation>Welche Gewichte bleiben dürfen: unstructured: beliebige; N:M, etwa 2:4: N von je M Eingängen eines Ausgangs, was auch immer die CR ist; M teilt die Zahl der Eingänge der Schicht</translation>
    </message>
    <message>
        <source>any weights, as many as the compression ratio allows</source>
        <translation>beliebige Gewichte, so viele, wie die CR übrig lässt</translation>
    </message>
    <message>
        <source>two of every four inputs of an output, CR 0.4375</source>
        <translation>zwei von je vier Eingängen eines Ausgangs, CR 0.4375</translation>
    </message>
    <message>
        <source>four of every eight inputs of an output, CR 0.40625</source>
        <translation>vier von je acht Eingängen eines Ausgangs, CR 0.40625</translation>
    </message>
    <message>
        <source>Steps of conjugate gradients on the support after each hard-thresholding step</source>
        <translation>Schritte konjugierter Gradienten auf dem Träger, nach jedem Schritt mit hartem Schwellwert</translation>
    </message>
    <message>
        <source>Steps of hard-thresholding pursuit per iteration</source>
        <translation>Schritte des Pursuit mit hartem Schwellwert in jeder Iteration</translation>
    </message>
    <message>
        <source>Fraction of a column&apos;s k coefficients removed below s and reassigned to the best entries of all columns; 0: every column keeps s</source>
        <translation>Anteil der k Koeffizienten einer Spalte, der unter s gekürzt und den besten aller Spalten zurückgegeben wird; 0: jede Spalte behält s</translation>
    </message>
    <message>
        <source>minimum: every group also stores its minimum; none: codes are symmetric around zero</source>
        <translation>minimum: jede Gruppe speichert auch ihren kleinsten Wert; none: Codes liegen um null</translation>
    </message>
    <message>
        <source>every group stores a minimum and a scale</source>
        <translation>jede Gruppe hat neben ihrer Skala ein Minimum</translation>
    </message>
    <message>
        <source>codes are symmetric around zero</source>
        <translation>Codes liegen um null</translation>
    </message>
    <message>
        <source>quick</source>
        <translation>schnell</translation>
    </message>
    <message>
        <source>usual</source>
        <translation>üblich</translation>
    </message>
    <message>
        <source>best</source>
        <translation>bestens</translation>
    </message>
</context>
<context>
    <name>cospadi::phrases</name>
    <message>
        <source>mean of %1</source>
        <translation>Mittel von %1</translation>
    </message>
    <message>
        <source>%1, context %2</source>
        <translation>%1, Kontext %2</translation>
    </message>
    <message>
        <source>all tokens</source>
        <translation>alle Tokens</translation>
    </message>
    <message>
        <source>first %1 tokens</source>
        <translation>die ersten %1 Tokens</translation>
    </message>
    <message>
        <source>score %1</source>
        <translation>Wertung %1</translation>
    </message>
    <message>
        <source>version %1, %2 shots, %3 samples</source>
        <translation>Version %1, %2 Shots, %3 Beispiele</translation>
    </message>
    <message>
        <source>filter %1</source>
        <translation>Filter %1</translation>
    </message>
    <message>
        <source>data %1</source>
        <translation>Daten %1</translation>
    </message>
    <message>
        <source>1 run measured otherwise is left out</source>
        <translation>1 anders gemessener Lauf fehlt</translation>
    </message>
    <message>
        <source>%1 runs measured otherwise are left out</source>
        <translation>%1 anders gemessene Läufe fehlen</translation>
    </message>
    <message>
        <source>1 run without %1 is left out</source>
        <translation>1 Lauf ohne %1 fehlt</translation>
    </message>
    <message>
        <source>%1 runs without %2 are left out</source>
        <translation>%1 Läufe ohne %2 fehlen</translation>
    </message>
    <message>
        <source>1 run without a numeric ρ is left out</source>
        <translation>1 Lauf ohne eine Zahl für ρ fehlt</translation>
    </message>
    <message>
        <source>%1 runs without a numeric ρ are left out</source>
        <translation>%1 Läufe ohne eine Zahl für ρ fehlen</translation>
    </message>
    <message>
        <source>seeds with identical results count once in n</source>
        <translation>Seeds, die nichts bewegt haben, zählen einmal: Läufe mit genau demselben Ergebnis sind einer von n</translation>
    </message>
    <message>
        <source>errors of data-free methods are of the plain weight, the others whitened</source>
        <translation>Fehler datenfreier Methoden sind die des Gewichts selbst, die anderen aufgeweißt</translation>
    </message>
    <message>
        <source>k = %1, s = %2%3</source>
        <translation>k = %1, s = %2%3</translation>
    </message>
    <message>
        <source>%1-bit values</source>
        <translation>Werte von %1 Bit</translation>
    </message>
    <message>
        <source>integers of %1 and %2 bits, a scale for %3</source>
        <translation>Ganzzahlen von %1 und %2 Bit, eine Skala für je %3</translation>
    </message>
    <message>
        <source>dictionary over the outputs</source>
        <translation>Wörterbuch über den Ausgängen</translation>
    </message>
    <message>
        <source>rank r = %1, factors of %2 and %3 bits</source>
        <translation>Rang r = %1, Faktoren von %2 und %3 Bit</translation>
    </message>
    <message>
        <source>integers, a scale for %1</source>
        <translation>Ganzzahlen, eine Skala für je %1</translation>
    </message>
    <message>
        <source>rank r = %1, %2 entries of a column and of its row in 8 bits each</source>
        <translation>Rang r = %1, %2 Einträge einer Spalte und ihrer Zeile in je 8 Bit</translation>
    </message>
    <message>
        <source>%1 bits, groups of %2</source>
        <translation>%1 Bit, Gruppen von %2</translation>
    </message>
    <message>
        <source>%1 bits, groups of %2 with a minimum each</source>
        <translation>%1 Bit, Gruppen von %2 mit je einem Minimum</translation>
    </message>
    <message>
        <source>%1, %2 % zeros</source>
        <translation>%1, %2 % Nullen</translation>
    </message>
    <message>
        <source>dense, 16-bit</source>
        <translation>dicht, 16 Bit</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>the curves of %1 of %2 matrices are taken from their neighbours</source>
        <translation>die Kurven von %1 von %2 Matrizen sind die ihrer Nachbarn</translation>
    </message>
    <message>
        <source>the cost of errors of %1 of %2 matrices was measured with another method or storage</source>
        <translation>was Fehler von %1 von %2 Matrizen kosten, wurde mit anderer Methode oder Speicherung gemessen</translation>
    </message>
    <message>
        <source>the whole model has not been tried yet: costs of single matrices are added up</source>
        <translation>das ganze Modell wurde noch nicht erprobt: die Kosten einzelner Matrizen sind summiert</translation>
    </message>
    <message>
        <source>diverges further than any trial of the whole model</source>
        <translation>weiter vom Modell entfernt als alles, was an ihm als Ganzem erprobt wurde</translation>
    </message>
    <message>
        <source>errors are those after six iterations; full solves reach lower ones</source>
        <translation>Fehler sind die nach sechs Iterationen; ganze Lösungen enden tiefer</translation>
    </message>
    <message>
        <source>beyond a loss of 1 nat per token small error differences have large effects</source>
        <translation>jenseits eines Verlusts von 1 Nat je Token entscheiden kleine Unterschiede im Fehler über viel</translation>
    </message>
    <message>
        <source>%1 matrices are at the largest ratio tried</source>
        <translation>%1 Matrizen stehen bei der größten erprobten Rate</translation>
    </message>
    <message>
        <source>the perplexity of the uncompressed model has not been measured yet</source>
        <translation>die Perplexität des Modells, wie es ist, wurde noch nicht gemessen</translation>
    </message>
    <message>
        <source>perplexity of %1</source>
        <translation>Perplexität von %1</translation>
    </message>
    <message>
        <source>%1 items each</source>
        <translation>je %1 Aufgaben</translation>
    </message>
    <message>
        <source>all items</source>
        <translation>alle Aufgaben</translation>
    </message>
    <message>
        <source>%1 tokens/s at prompts of %2</source>
        <translation>%1: Tokens/s bei Prompts von %2</translation>
    </message>
    <message>
        <source>%1 tokens/s at prompts of %2 with %3 users</source>
        <translation>%1: Tokens/s bei Prompts von %2 mit %3 Nutzern</translation>
    </message>
    <message>
        <source>its bytes</source>
        <translation>seine Bytes</translation>
    </message>
    <message>
        <source>the methods of `cospadi demo` on the default model</source>
        <translation>die Methoden von `cospadi demo` auf dem Standardmodell</translation>
    </message>
    <message>
        <source>perplexity over ρ</source>
        <translation>Perplexität über ρ</translation>
    </message>
    <message>
        <source>error over the solver&apos;s iterations</source>
        <translation>Fehler über den Iterationen des Solvers</translation>
    </message>
    <message>
        <source>the solvers side by side: error, seconds, perplexity (the paper&apos;s Table 2)</source>
        <translation>die Solver nebeneinander: Fehler, Sekunden, Perplexität (Tabelle 2 des Papers)</translation>
    </message>
    <message>
        <source>bytes of dictionary, values and mask (the paper&apos;s Table 10), and multiplications</source>
        <translation>Bytes von Wörterbuch, Werten und Maske (Tabelle 10 des Papers), und Multiplikationen</translation>
    </message>
    <message>
        <source>where the time goes: coding, dictionary update and the rest (the paper&apos;s Table 9)</source>
        <translation>wohin die Zeit geht: Codierung, Wörterbuchschritt und der Rest (Tabelle 9 des Papers)</translation>
    </message>
    <message>
        <source>bytes of the linear layers against perplexity, one line per method</source>
        <translation>Bytes der linearen Schichten gegen Perplexität, jede Methode eine Linie</translation>
    </message>
    <message>
        <source>tasks of lm-eval laid out like the paper&apos;s main tables</source>
        <translation>Aufgaben von lm-eval im Aufbau der Haupttabellen des Papers</translation>
    </message>
    <message>
        <source>up and gate alone, laid out like the paper&apos;s UG quality tables (6, 14)</source>
        <translation>nur up und gate, im Aufbau der UG-Tabellen des Papers (6, 14)</translation>
    </message>
    <message>
        <source>runs of `requantize` against 16 bits per coefficient (Figure 3)</source>
        <translation>Läufe von `requantize` gegen 16 Bit je Koeffizient (Abbildung 3)</translation>
    </message>
    <message>
        <source>tokens per second over prompt lengths, one user (Table 15)</source>
        <translation>Tokens je Sekunde über Promptlängen, ein Nutzer (Tabelle 15)</translation>
    </message>
    <message>
        <source>tokens per second over HTTP by users, shortest prompt (Tables 7, 16)</source>
        <translation>Tokens je Sekunde über HTTP nach Nutzern, kürzester Prompt (Tabellen 7, 16)</translation>
    </message>
    <message>
        <source>tokens per second over HTTP by users and prompt lengths (Table 17)</source>
        <translation>Tokens je Sekunde über HTTP nach Nutzern und Promptlängen (Tabelle 17)</translation>
    </message>
    <message>
        <source>percentiles of the time per token, alone and over HTTP</source>
        <translation>Perzentile der Zeit bis zu einem Token, allein und über HTTP</translation>
    </message>
    <message>
        <source>1 matrix is at the largest ratio tried</source>
        <translation>1 Matrix steht bei der größten erprobten Rate</translation>
    </message>
    <message>
        <source>%1 shots</source>
        <translation>%1 Shots</translation>
    </message>
    <message>
        <source>asked by lm-eval</source>
        <translation>von lm-eval gefragt</translation>
    </message>
</context>
<context>
    <name>cospadi::quantities</name>
    <message>
        <source>perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>held-out-error</source>
        <translation>Fehler, zurückgehalten</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>gespart</translation>
    </message>
    <message>
        <source>global-ratio</source>
        <translation>gespart, im Ganzen</translation>
    </message>
    <message>
        <source>avg_acc</source>
        <translation>avg_acc</translation>
    </message>
    <message>
        <source>mean-accuracy</source>
        <translation>mittlere Genauigkeit</translation>
    </message>
    <message>
        <source>status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>calibration.text</source>
        <translation>Kalibrierungstext</translation>
    </message>
    <message>
        <source>calibration.sequences</source>
        <translation>Kalibrierungssequenzen</translation>
    </message>
    <message>
        <source>calibration.length</source>
        <translation>Kalibrierungslänge</translation>
    </message>
    <message>
        <source>calibration.seed</source>
        <translation>Kalibrierungs-Seed</translation>
    </message>
    <message>
        <source>slice_of</source>
        <translation>Ausschnitt von</translation>
    </message>
    <message>
        <source>solved_bits</source>
        <translation>gelöste Bits</translation>
    </message>
    <message>
        <source>sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>Sequenzen</translation>
    </message>
    <message>
        <source>length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>solver</source>
        <translation>Solver</translation>
    </message>
    <message>
        <source>cr</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>rho</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>accounting</source>
        <translation>Speicherung</translation>
    </message>
    <message>
        <source>coefficient_bits</source>
        <translation>Koeffizientenbits</translation>
    </message>
    <message>
        <source>dictionary_bits</source>
        <translation>Wörterbuchbits</translation>
    </message>
    <message>
        <source>coefficient_format</source>
        <translation>Koeffizientenformat</translation>
    </message>
    <message>
        <source>iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>power_iterations</source>
        <translation>Potenziterationen</translation>
    </message>
    <message>
        <source>init</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>update</source>
        <translation>Wörterbuchschritt</translation>
    </message>
    <message>
        <source>coder</source>
        <translation>Codierer</translation>
    </message>
    <message>
        <source>dead_atoms</source>
        <translation>tote Atome</translation>
    </message>
    <message>
        <source>coefficient_rounding</source>
        <translation>Rundung</translation>
    </message>
    <message>
        <source>side</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>allocation</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>propagation</source>
        <translation>Fehlerfortpflanzung</translation>
    </message>
    <message>
        <source>held_out</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>ridge</source>
        <translation>Ridge</translation>
    </message>
    <message>
        <source>refit</source>
        <translation>Nachanpassung</translation>
    </message>
    <message>
        <source>refine</source>
        <translation>Verfeinerung</translation>
    </message>
    <message>
        <source>refine_rate</source>
        <translation>Verfeinerungsrate</translation>
    </message>
    <message>
        <source>tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>act_order</source>
        <translation>Aktivierungsreihenfolge</translation>
    </message>
    <message>
        <source>alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>ausgelassene Blöcke</translation>
    </message>
    <message>
        <source>code_pattern</source>
        <translation>Codemuster</translation>
    </message>
    <message>
        <source>damp</source>
        <translation>Dämpfung</translation>
    </message>
    <message>
        <source>group_metric</source>
        <translation>Gruppenmetrik</translation>
    </message>
    <message>
        <source>group_size</source>
        <translation>Gruppengröße</translation>
    </message>
    <message>
        <source>groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>importance_exponent</source>
        <translation>Wichtigkeitsexponent</translation>
    </message>
    <message>
        <source>output_metric</source>
        <translation>Ausgabemetrik</translation>
    </message>
    <message>
        <source>pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>pursuit_cg_steps</source>
        <translation>CG-Schritte</translation>
    </message>
    <message>
        <source>pursuit_steps</source>
        <translation>Pursuit-Schritte</translation>
    </message>
    <message>
        <source>restored_share</source>
        <translation>zurückgegebener Anteil</translation>
    </message>
    <message>
        <source>zero_point</source>
        <translation>Nullpunkt</translation>
    </message>
    <message>
        <source>coded_entries</source>
        <translation>codierte Einträge</translation>
    </message>
    <message>
        <source>integer_run</source>
        <translation>Ganzzahlen je Skala</translation>
    </message>
    <message>
        <source>left_bits</source>
        <translation>Bits links</translation>
    </message>
    <message>
        <source>minimums</source>
        <translation>Minima</translation>
    </message>
    <message>
        <source>right_bits</source>
        <translation>Bits rechts</translation>
    </message>
    <message>
        <source>sparsity</source>
        <translation>Anteil der Nullen</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>multiplications</source>
        <translation>Multiplikationen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::AblationBar</name>
    <message>
        <source>y</source>
        <translation>y</translation>
    </message>
    <message>
        <source>The value on the y axis</source>
        <translation>Der Wert, der gezeichnet wird</translation>
    </message>
    <message>
        <source>log</source>
        <translation>log</translation>
    </message>
    <message>
        <source>Logarithmic y axis</source>
        <translation>y logarithmisch</translation>
    </message>
    <message>
        <source>over</source>
        <translation>über</translation>
    </message>
    <message>
        <source>The x axis: a setting or a measured value</source>
        <translation>Was entlang x steht: eine Einstellung oder ein gemessener Wert</translation>
    </message>
    <message>
        <source>Logarithmic x axis</source>
        <translation>x logarithmisch</translation>
    </message>
    <message>
        <source>a curve for each</source>
        <translation>eine Kurve je</translation>
    </message>
    <message>
        <source>The setting shown by colour. Runs that differ otherwise are never joined: they form separate curves with different dashes</source>
        <translation>Die Einstellung, deren Werte durch Farben unterschieden werden. Worin Läufe sich sonst unterscheiden, wird nie verbunden: daraus werden eigene Kurven, an ihren Strichen zu erkennen</translation>
    </message>
    <message>
        <source>a plot for each</source>
        <translation>ein Bild je</translation>
    </message>
    <message>
        <source>The setting with one plot per value</source>
        <translation>Die Einstellung, deren Werte in Bildern nebeneinander stehen</translation>
    </message>
    <message>
        <source>– (one plot)</source>
        <translation>– (ein Bild)</translation>
    </message>
    <message>
        <source>– (what differs)</source>
        <translation>– (was verschieden ist)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::AblationComparison</name>
    <message>
        <source>all %1 listed runs</source>
        <translation>alle %1 gezeigten Läufe</translation>
    </message>
    <message>
        <source>the first %1 of %2 plots</source>
        <translation>die ersten %1 von %2 Bildern</translation>
    </message>
    <message>
        <source>No perplexity was measured for these runs. Select them and press Measure perplexity.</source>
        <translation>Für diese Läufe wurde keine Perplexität gemessen. Läufe auswählen und Perplexität messen drücken.</translation>
    </message>
    <message>
        <source>lm-eval did not measure %1 of these runs.</source>
        <translation>lm-eval hat %1 dieser Läufe nicht gemessen.</translation>
    </message>
    <message>
        <source>None of these runs has both values. Only CoSpaDi runs have ρ and iterations.</source>
        <translation>Keiner dieser Läufe hat beide Werte. ρ und Iterationen gehören zu CoSpaDi-Läufen.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::AboutDialog</name>
    <message>
        <source>About CoSpaDi Workbench</source>
        <translation>Über CoSpaDi Workbench</translation>
    </message>
    <message>
        <source>&lt;p&gt;&lt;span style=&apos;font-size:large; font-weight:600&apos;&gt;CoSpaDi Workbench %1&lt;/span&gt; (%2)&lt;/p&gt;&lt;p&gt;Compresses language models by sparse dictionary learning, W ≈ D S, and measures what it costs.&lt;/p&gt;&lt;table cellspacing=&apos;0&apos; cellpadding=&apos;3&apos;&gt;%3&lt;/table&gt;&lt;p&gt;The workbench is GPL-3 (it links Qt Charts); the engine is Apache-2.0.&lt;/p&gt;</source>
        <translation>&lt;p&gt;&lt;span style=&apos;font-size:large; font-weight:600&apos;&gt;CoSpaDi Workbench %1&lt;/span&gt; (%2)&lt;/p&gt;&lt;p&gt;Komprimiert Sprachmodelle durch Dictionary Learning mit dünn besetzten Codes, W ≈ D S, und misst, was es kostet.&lt;/p&gt;&lt;table cellspacing=&apos;0&apos; cellpadding=&apos;3&apos;&gt;%3&lt;/table&gt;&lt;p&gt;Die Workbench steht unter der GPL-3 (sie bindet Qt Charts ein); die Engine unter Apache-2.0.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copies these details as text, for a bug report</source>
        <translation>Diese Angaben als Text, für einen Fehlerbericht</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::Activity</name>
    <message>
        <source>A run is in progress.</source>
        <translation>Ein Lauf ist im Gang.</translation>
    </message>
    <message>
        <source>A table of the paper is being reproduced.</source>
        <translation>Eine Tabelle des Papers wird erstellt.</translation>
    </message>
    <message>
        <source>Tasks are being evaluated.</source>
        <translation>Aufgaben werden ausgewertet.</translation>
    </message>
    <message>
        <source>Data sets are being fetched.</source>
        <translation>Datensätze werden geholt.</translation>
    </message>
    <message>
        <source>Perplexity is being measured.</source>
        <translation>Eine Perplexität wird gemessen.</translation>
    </message>
    <message>
        <source>A calibration is in progress.</source>
        <translation>Eine Kalibrierung ist im Gang.</translation>
    </message>
    <message>
        <source>A run is about to start.</source>
        <translation>Ein Lauf beginnt gleich.</translation>
    </message>
    <message>
        <source>Finished matrices are kept either way; waiting runs are kept for the next start.</source>
        <translation>Fertige Matrizen bleiben in jedem Fall erhalten; was wartet, bleibt für den nächsten Start.</translation>
    </message>
    <message>
        <source>Finished runs and matrices are kept; starting again continues with the rest.</source>
        <translation>Fertige Läufe und Matrizen bleiben erhalten; wieder gestartet, wird getan, was noch fehlt.</translation>
    </message>
    <message>
        <source>Finished tasks are recorded; the current one would start over.</source>
        <translation>Beendete Aufgaben sind gespeichert; die laufende begänne von vorn.</translation>
    </message>
    <message>
        <source>Tasks already fetched are kept.</source>
        <translation>Geholte Aufgaben bleiben.</translation>
    </message>
    <message>
        <source>It would have to be measured again.</source>
        <translation>Sie müsste neu gemessen werden.</translation>
    </message>
    <message>
        <source>Finished blocks are kept.</source>
        <translation>Fertige Blöcke bleiben erhalten.</translation>
    </message>
    <message>
        <source>The curves of the whole model are being measured.</source>
        <translation>Die Kurven des ganzen Modells werden gemessen.</translation>
    </message>
    <message>
        <source>Curves measured so far are kept.</source>
        <translation>Was gemessen ist, bleibt erhalten.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::BytesBar</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>dense weights (bf16): %1</source>
        <translation>dichte Gewichte (bf16): %1</translation>
    </message>
    <message>
        <source>−%1</source>
        <translation>−%1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::CalibrationSection</name>
    <message>
        <source>Calibration text</source>
        <translation>Kalibrierungstext</translation>
    </message>
    <message>
        <source>Calibration text (§3.1)</source>
        <translation>Kalibrierungstext (§3.1)</translation>
    </message>
    <message>
        <source>A .txt file, or a .jsonl file with a “text” field per line, either also as .gz. The model reads it to find out which directions of a layer&apos;s input matter: G = XᵀX. The word web selects the bundled text for more tokens than the C4 sample has.</source>
        <translation>Eine .txt oder eine .jsonl mit einem Feld „text“ je Zeile, beide auch als .gz; das Modell liest sie, um zu erfahren, auf welche Richtungen der Eingabe einer Schicht es ankommt: G = XᵀX. Das Wort web ist der mitgelieferte Text für mehr Tokens, als die C4-Stichprobe enthält.</translation>
    </message>
    <message>
        <source>the bundled C4 sample</source>
        <translation>die mitgelieferte C4-Stichprobe</translation>
    </message>
    <message>
        <source>calibration text</source>
        <translation>Kalibrierungstext</translation>
    </message>
    <message>
        <source>Choose a text</source>
        <translation>Einen Text wählen</translation>
    </message>
    <message>
        <source>Choose a calibration text</source>
        <translation>Einen Kalibrierungstext wählen</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Sequences × tokens per sequence that the model reads. More is better but slower: 64 × 512 is a good start; the paper uses 256 × 1024, for which the text “web” is long enough.</source>
        <translation>Sequenzen × Tokens je Sequenz, die das Modell liest. Mehr ist besser und langsamer: 64 × 512 ist ein guter Anfang, das Paper nimmt 256 × 1024, wofür der Text „web“ reicht.</translation>
    </message>
    <message>
        <source>Calibration sequences</source>
        <translation>Kalibrierungssequenzen</translation>
    </message>
    <message>
        <source>N tokens (§4)</source>
        <translation>N Tokens (§4)</translation>
    </message>
    <message>
        <source>calibration size</source>
        <translation>Umfang der Kalibrierung</translation>
    </message>
    <message>
        <source>Tokens per sequence</source>
        <translation>Tokens je Sequenz</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Tokens</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>Seed of the calibration</source>
        <translation>Seed der Kalibrierung</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Selects the sequences from the text: another seed gives another sample. The solver has a seed of its own.</source>
        <translation>Wählt die Sequenzen aus dem Text: anderer Seed, andere Stichprobe. Der Seed des Solvers ist ein eigener.</translation>
    </message>
    <message>
        <source>calibration seed</source>
        <translation>Seed der Kalibrierung</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückhalten</translation>
    </message>
    <message>
        <source>Texts (*.txt *.jsonl *.txt.gz *.jsonl.gz);;All files (*)</source>
        <translation>Texte (*.txt *.jsonl *.txt.gz *.jsonl.gz);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ChosenEntries</name>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Kind of selection</source>
        <translation>Was ausgewählt ist</translation>
    </message>
    <message>
        <source>none</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>atom</source>
        <translation>Atom</translation>
    </message>
    <message>
        <source>column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Number of the atom or column</source>
        <translation>Nummer des Atoms oder der Spalte</translation>
    </message>
    <message>
        <source>Clears the selection: the whole map is highlighted</source>
        <translation>Hebt die Auswahl auf: die ganze Karte tritt hervor</translation>
    </message>
    <message>
        <source>Entries of the selection</source>
        <translation>Einträge der Auswahl</translation>
    </message>
    <message>
        <source>Double click or Enter: select the atom or column in this row</source>
        <translation>Doppelklick oder Enter: weiter zu dem, was in dieser Zeile steht</translation>
    </message>
    <message>
        <source>Click an entry or the row of an atom in the map: the columns that use the atom are listed here. With Shift, or above and below the map: a column and its atoms.</source>
        <translation>Auf einen Eintrag oder die Zeile eines Atoms in der Karte klicken: hier erscheinen die Spalten, die das Atom nutzen. Mit Umschalt, oder über und unter der Karte: eine Spalte und ihre Atome.</translation>
    </message>
    <message numerus="yes">
        <source>atom %1 is used by %n column(s), the largest value first</source>
        <translation>
            <numerusform>Atom %1 wird von %n Spalte genutzt, der größte Wert zuerst</numerusform>
            <numerusform>Atom %1 wird von %n Spalten genutzt, der größte Wert zuerst</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>column %1 uses %n atom(s), the largest value first</source>
        <translation>
            <numerusform>Spalte %1 nutzt %n Atom, der größte Wert zuerst</numerusform>
            <numerusform>Spalte %1 nutzt %n Atome, der größte Wert zuerst</numerusform>
        </translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>the coefficient × the length of its atom</source>
        <translation>der Koeffizient × die Länge seines Atoms</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::Closing</name>
    <message>
        <source>Nothing is running any more.</source>
        <translation>Nichts ist mehr im Gang.</translation>
    </message>
    <message>
        <source>Close the window?</source>
        <translation>Fenster schließen?</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Beenden und schließen</translation>
    </message>
    <message>
        <source>Close and keep running</source>
        <translation>Schließen und weiterlaufen lassen</translation>
    </message>
    <message>
        <source>Keep open</source>
        <translation>Bleiben</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterCall</name>
    <message>
        <source>%1 could not be started: %2</source>
        <translation>%1 konnte nicht gestartet werden: %2</translation>
    </message>
    <message>
        <source>see the cluster profile</source>
        <translation>siehe das Profil des Clusters</translation>
    </message>
    <message>
        <source>it exited with code %1 without an answer</source>
        <translation>es endete mit Code %1 und ohne Antwort</translation>
    </message>
    <message>
        <source>ssh has to connect without a password prompt</source>
        <translation>ssh muss es erreichen, ohne dass ein Passwort eingegeben wird</translation>
    </message>
    <message>
        <source>is `cospadi` installed there, in this version?</source>
        <translation>ist `cospadi` dort vorhanden, und in dieser Version?</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterDialog</name>
    <message>
        <source>Run on a cluster</source>
        <translation>Auf einem Cluster laufen lassen</translation>
    </message>
    <message>
        <source>Previe&amp;w</source>
        <translation>&amp;Zeigen, was es tut</translation>
    </message>
    <message>
        <source>&amp;Submit</source>
        <translation>&amp;Abschicken</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Nothing to submit: %1</source>
        <translation>Nichts abzuschicken: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) from the Plan page</source>
        <translation>
            <numerusform>%n Lauf der Plan-Seite</numerusform>
            <numerusform>%n Läufe der Plan-Seite</numerusform>
        </translation>
    </message>
    <message>
        <source>Querying …</source>
        <translation>Wird gefragt …</translation>
    </message>
    <message>
        <source>The profile has no name</source>
        <translation>Das Profil hat keinen Namen</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>enter one, so that the sweep can be found again</source>
        <translation>einen vergeben, damit der Sweep wiedergefunden wird</translation>
    </message>
    <message>
        <source>Submitting …</source>
        <translation>Wird abgeschickt …</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterJobModel</name>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>Matrizen</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Process and reason</source>
        <translation>Prozess und Grund</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterLife</name>
    <message numerus="yes">
        <source>%n run(s) (was|were) submitted to %1.</source>
        <translation>
            <numerusform>%n Lauf wurde an %1 übergeben.</numerusform>
            <numerusform>%n Läufe wurden an %1 übergeben.</numerusform>
        </translation>
    </message>
    <message>
        <source>They continue without this window; finished ones appear under Runs.</source>
        <translation>Sie laufen ohne dieses Fenster weiter; fertige erscheinen unter Läufe.</translation>
    </message>
    <message>
        <source>A run is in progress on this machine; watch this one when it has ended.</source>
        <translation>Ein Lauf dieser Maschine ist im Gang; diesen danach beobachten.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterList</name>
    <message>
        <source>Jobs of the sweep</source>
        <translation>Jobs des Sweeps</translation>
    </message>
    <message>
        <source>Sweep on a cluster</source>
        <translation>Sweep auf einem Cluster</translation>
    </message>
    <message>
        <source>Submit a plan…</source>
        <translation>Plan abschicken…</translation>
    </message>
    <message>
        <source>Submits the runs of the Plan page to a cluster</source>
        <translation>Übergibt die Läufe der Plan-Seite an einen Cluster</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Removes the sweep from this list; its runs and jobs are not affected</source>
        <translation>Nimmt den Sweep aus dieser Liste; seine Läufe und was im Gang ist, bleiben</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>Beobachten</translation>
    </message>
    <message>
        <source>Shows the selected job instead of the live run</source>
        <translation>Zeigt den gewählten Job an der Stelle des laufenden Laufs</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancels the selected jobs, or all if none is selected; finished matrices are kept</source>
        <translation>Bricht die gewählten Jobs ab, oder alle, wo keiner gewählt ist; fertige Matrizen bleiben</translation>
    </message>
    <message>
        <source>Start what is missing</source>
        <translation>Fehlendes starten</translation>
    </message>
    <message>
        <source>Submits what is neither done nor running nor queued</source>
        <translation>Schickt ab, was weder fertig noch in Arbeit noch in der Warteschlange ist</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>No sweep has been submitted to a cluster yet.</source>
        <translation>Noch kein Sweep ging an einen Cluster.</translation>
    </message>
    <message>
        <source>No answer: %1 (%2)</source>
        <translation>Keine Antwort: %1 (%2)</translation>
    </message>
    <message>
        <source>%1 of %2 done</source>
        <translation>%1 von %2 fertig</translation>
    </message>
    <message>
        <source>%1 running</source>
        <translation>%1 laufend</translation>
    </message>
    <message>
        <source>%1 waiting</source>
        <translation>%1 wartend</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 fehlgeschlagen</translation>
    </message>
    <message>
        <source>%1 lost</source>
        <translation>%1 verloren</translation>
    </message>
    <message>
        <source>Querying …</source>
        <translation>Wird gefragt …</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterProfileFields</name>
    <message>
        <source>Cluster profile</source>
        <translation>Profil des Clusters</translation>
    </message>
    <message>
        <source>a name of your choice for this profile</source>
        <translation>ein eigener Name; unter ihm wird das Profil aufbewahrt</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Removes this profile; sweeps submitted with it are kept</source>
        <translation>Vergisst dieses Profil; Sweeps, die dorthin gingen, bleiben</translation>
    </message>
    <message>
        <source>&amp;Cluster</source>
        <translation>&amp;Cluster</translation>
    </message>
    <message>
        <source>SSH add&amp;ress</source>
        <translation>E&amp;rreicht über ssh</translation>
    </message>
    <message>
        <source>none: this machine submits</source>
        <translation>diese Maschine schickt ab</translation>
    </message>
    <message>
        <source>A host of your ssh configuration, or user@host. It must connect without a password prompt. Empty: this machine has sbatch and sees the folder.</source>
        <translation>Ein Name der eigenen ssh-Konfiguration, oder user@host. Die Verbindung muss ohne Passworteingabe zustande kommen. Leer: diese Maschine hat sbatch und sieht den Ordner.</translation>
    </message>
    <message>
        <source>Pro&amp;gram there</source>
        <translation>Pro&amp;gramm dort</translation>
    </message>
    <message>
        <source>cospadi</source>
        <translation>cospadi</translation>
    </message>
    <message>
        <source>Path of cospadi on the cluster; it must be the same version as this one</source>
        <translation>Der Pfad von cospadi auf dem Cluster, in derselben Version wie hier</translation>
    </message>
    <message>
        <source>&amp;Folder there</source>
        <translation>&amp;Ordner dort</translation>
    </message>
    <message>
        <source>chosen by the program</source>
        <translation>vom Programm gewählt</translation>
    </message>
    <message>
        <source>Where sweeps are written; all nodes must see it under this path</source>
        <translation>Wohin Sweeps geschrieben werden; alle Knoten müssen ihn unter diesem Namen sehen</translation>
    </message>
    <message>
        <source>&amp;Partition</source>
        <translation>&amp;Partition</translation>
    </message>
    <message>
        <source>the cluster&apos;s default</source>
        <translation>die des Clusters</translation>
    </message>
    <message>
        <source>As in sbatch --partition</source>
        <translation>Wie sbatch --partition sie kennt</translation>
    </message>
    <message>
        <source>&amp;Time limit</source>
        <translation>Zei&amp;tlimit</translation>
    </message>
    <message>
        <source>Per task: minutes, H:M:S or D-H. A task that reaches it is continued in the next one.</source>
        <translation>Einer Task: Minuten, H:M:S oder D-H. Eine Task, die es erreicht, geht in der nächsten weiter.</translation>
    </message>
    <message>
        <source>&amp;Memory</source>
        <translation>&amp;Speicher</translation>
    </message>
    <message>
        <source>Per task, e.g. 16G</source>
        <translation>Einer Task, etwa 16G</translation>
    </message>
    <message>
        <source>GP&amp;Us</source>
        <translation>GP&amp;Us</translation>
    </message>
    <message>
        <source>none: on the CPU</source>
        <translation>keine: auf der CPU</translation>
    </message>
    <message>
        <source>Devices per task, e.g. 1 or a100:2</source>
        <translation>Geräte einer Task, etwa 1 oder a100:2</translation>
    </message>
    <message>
        <source>C&amp;PUs per task</source>
        <translation>CPUs je Tas&amp;k</translation>
    </message>
    <message>
        <source>Processor cores per task</source>
        <translation>Prozessorkerne, die eine Task bekommt</translation>
    </message>
    <message>
        <source>Runs per &amp;task</source>
        <translation>&amp;Läufe je Task</translation>
    </message>
    <message>
        <source>Small runs can share a task, one after the other</source>
        <translation>Kleine Läufe können sich eine Task teilen, einer nach dem anderen</translation>
    </message>
    <message>
        <source>Tasks at &amp;once</source>
        <translation>Tasks zugle&amp;ich</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>unbegrenzt</translation>
    </message>
    <message>
        <source>Maximum number of concurrent tasks of an array</source>
        <translation>Höchstens so viele Tasks eines Arrays laufen gleichzeitig</translation>
    </message>
    <message>
        <source>S&amp;etup file there</source>
        <translation>Setup-&amp;Datei dort</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Shell lines run at the start of every task (module load …)</source>
        <translation>Shell-Zeilen für den Beginn jeder Task (module load …)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterSweepFields</name>
    <message>
        <source>&amp;Name of the sweep</source>
        <translation>&amp;Name des Sweeps</translation>
    </message>
    <message>
        <source>Tags its runs and names its folder. The same name with other runs is refused.</source>
        <translation>Kennzeichnet seine Läufe und benennt seinen Ordner. Derselbe Name mit anderen Läufen wird abgelehnt.</translation>
    </message>
    <message>
        <source>sweep-%1</source>
        <translation>sweep-%1</translation>
    </message>
    <message>
        <source>&amp;Model there</source>
        <translation>&amp;Modell dort</translation>
    </message>
    <message>
        <source>Path of the model as the nodes see it, or the word default; empty: the same path as here. Texts and data sets that are files must exist there under the same paths as here.</source>
        <translation>Pfad des Modells, wie die Knoten es sehen, oder das Wort default; leer: wie es hier heißt. Texte und Datensätze, die Dateien sind, müssen dort unter denselben Namen liegen wie hier.</translation>
    </message>
    <message>
        <source>Measure the perplexity of every run (WikiText-2, %1 tokens)</source>
        <translation>Die Perplexität jedes Laufs messen (WikiText-2, %1 Tokens)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Task names, separated by spaces or commas, evaluated on every run after its perplexity, with as many items each as set on the Evaluate page</source>
        <translation>Namen von Aufgaben, durch Leerzeichen oder Kommas getrennt, die jedem Lauf nach seiner Perplexität gestellt werden, mit so vielen Beispielen, wie die Seite Auswerten sagt</translation>
    </message>
    <message>
        <source>data fetched there, else samples</source>
        <translation>dort Geholtes, sonst Stichproben</translation>
    </message>
    <message>
        <source>Folder with the data sets as the nodes see it; the one set on the Evaluate page must exist there under this path. Empty: what cospadi data fetch downloaded there, else the bundled samples</source>
        <translation>Ordner mit den Datensätzen, wie die Knoten ihn sehen; der, den die Seite Auswerten nennt, muss dort unter diesem Namen liegen. Leer: was cospadi data fetch dort geholt hat, sonst die mitgelieferten Stichproben</translation>
    </message>
    <message>
        <source>all items; &amp;data there</source>
        <translation>alle Beispiele; Dat&amp;en dort</translation>
    </message>
    <message numerus="yes">
        <source>first %n item(s) each; &amp;data there</source>
        <translation>
            <numerusform>das erste Beispiel (%n); Dat&amp;en dort</numerusform>
            <numerusform>die ersten %n Beispiele; Dat&amp;en dort</numerusform>
        </translation>
    </message>
    <message>
        <source>Evaluate tas&amp;ks</source>
        <translation>Aufga&amp;ben stellen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ClusterSweeps</name>
    <message>
        <source>The scheduler did not accept everything: %1</source>
        <translation>Der Scheduler nahm nicht alles an: %1</translation>
    </message>
    <message>
        <source>“Start what is missing” submits the rest</source>
        <translation>„Fehlendes starten“ schickt den Rest ab</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) (was|were) cancelled; finished matrices are kept.</source>
        <translation>
            <numerusform>%n Task wurde abgebrochen; fertige Matrizen bleiben.</numerusform>
            <numerusform>%n Tasks wurden abgebrochen; fertige Matrizen bleiben.</numerusform>
        </translation>
    </message>
    <message>
        <source>Everything missing is already queued.</source>
        <translation>Nichts fehlt, was nicht in der Warteschlange ist.</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) (was|were) submitted.</source>
        <translation>
            <numerusform>%n Task wurde abgeschickt.</numerusform>
            <numerusform>%n Tasks wurden abgeschickt.</numerusform>
        </translation>
    </message>
    <message>
        <source>the profile “%1” no longer exists</source>
        <translation>es gibt kein Profil „%1“ mehr</translation>
    </message>
    <message>
        <source>create one with that name in “Run on a cluster…”</source>
        <translation>legen Sie eines dieses Namens unter „Auf einem Cluster laufen lassen…“ an</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>Was soll geschehen?</translation>
    </message>
    <message>
        <source>Search the commands</source>
        <translation>Befehle durchsuchen</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ComparisonBox</name>
    <message>
        <source>What is compared</source>
        <translation>Was verglichen wird</translation>
    </message>
    <message>
        <source>error by matrix</source>
        <translation>Fehler nach Matrix</translation>
    </message>
    <message>
        <source>error map: blocks × kinds</source>
        <translation>Fehlerkarte: Blöcke × Arten</translation>
    </message>
    <message>
        <source>error against iteration</source>
        <translation>Fehler über der Iteration</translation>
    </message>
    <message>
        <source>ablation: a value over a setting</source>
        <translation>Ablation: ein Wert über einer Einstellung</translation>
    </message>
    <message>
        <source>parallel coordinates</source>
        <translation>parallele Koordinaten</translation>
    </message>
    <message>
        <source>sweep: settings × settings</source>
        <translation>ein Sweep: Einstellungen × Einstellungen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::CopyButton</name>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::CurveChart</name>
    <message>
        <source>Chart</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>Chart: %1 by %2</source>
        <translation>Diagramm: %1 über %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::DifferencePane</name>
    <message>
        <source>What the difference shows</source>
        <translation>Was die Differenz zeigt</translation>
    </message>
    <message>
        <source>which entries</source>
        <translation>welche Einträge</translation>
    </message>
    <message>
        <source>entries and values</source>
        <translation>Einträge und Werte</translation>
    </message>
    <message>
        <source>entries and values: where both runs have an entry, by how much their values differ (coefficient × length of its atom)</source>
        <translation>Einträge und Werte: wo beide Läufe einen Eintrag haben, um wie viel sich ihre Werte unterscheiden (Koeffizient × Länge des Atoms)</translation>
    </message>
    <message>
        <source>Export the difference</source>
        <translation>Die Differenz exportieren</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>matched atoms (%1)</source>
        <translation>zugeordnete Atome (%1)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::EarlierRuns</name>
    <message>
        <source>Reference</source>
        <translation>Vergleichslauf</translation>
    </message>
    <message>
        <source>no reference</source>
        <translation>kein Vergleichslauf</translation>
    </message>
    <message>
        <source>&amp;Back to the latest run</source>
        <translation>&amp;Zurück zum letzten Lauf</translation>
    </message>
    <message>
        <source>An earlier run: %1. Its iterations were not kept.</source>
        <translation>Ein früherer Lauf: %1. Seine Iterationen wurden nicht aufbewahrt.</translation>
    </message>
    <message>
        <source>An earlier run: %1</source>
        <translation>Ein früherer Lauf: %1</translation>
    </message>
    <message>
        <source>An earlier run drawn behind the curves, in the same colours with finer dashes</source>
        <translation>Ein früherer Lauf, dessen Fehler darunter stehen, in den Farben derselben Matrizen, feiner gestrichelt</translation>
    </message>
    <message>
        <source>%1 cannot be shown: %2</source>
        <translation>%1 lässt sich nicht zeigen: %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::EmptyState</name>
    <message>
        <source>Try &amp;one block first</source>
        <translation>Erst &amp;einen Block versuchen</translation>
    </message>
    <message>
        <source>Takes seconds, and explains the result</source>
        <translation>Sekunden, und das Ergebnis wird erklärt</translation>
    </message>
    <message>
        <source>Choose a &amp;model</source>
        <translation>Ein &amp;Modell wählen</translation>
    </message>
    <message>
        <source>On the Model page</source>
        <translation>Auf der Seite Modell</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::EngineClient</name>
    <message>
        <source>a line of more than 16 MB</source>
        <translation>eine Zeile von mehr als 16 MB</translation>
    </message>
    <message>
        <source>not a JSON object</source>
        <translation>kein JSON-Objekt</translation>
    </message>
    <message>
        <source>neither an event nor the reply to a request</source>
        <translation>weder ein Ereignis noch die Antwort auf eine Anfrage</translation>
    </message>
    <message>
        <source>The engine was stopped</source>
        <translation>Die Engine wurde beendet</translation>
    </message>
    <message>
        <source>the next request restarts it</source>
        <translation>die nächste Anfrage startet sie wieder</translation>
    </message>
    <message>
        <source>The engine process crashed or was killed</source>
        <translation>Der Engine-Prozess ist abgestürzt oder wurde beendet</translation>
    </message>
    <message>
        <source>The engine process exited unexpectedly (exit code %1)</source>
        <translation>Der Engine-Prozess endete von selbst (Exit-Code %1)</translation>
    </message>
    <message>
        <source>finished matrices are kept; the next request restarts it</source>
        <translation>fertige Matrizen bleiben erhalten; mit der nächsten Anfrage startet er wieder</translation>
    </message>
    <message>
        <source>The engine could not be started: %1</source>
        <translation>Die Engine konnte nicht gestartet werden: %1</translation>
    </message>
    <message>
        <source>build it with ./run, or set its path in $COSPADI_ENGINE</source>
        <translation>mit ./run bauen, oder in $COSPADI_ENGINE angeben</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::EngineLabel</name>
    <message numerus="yes">
        <source>engine %1 · %2 · %n core(s)</source>
        <translation>
            <numerusform>Engine %1 · %2 · %n Kern</numerusform>
            <numerusform>Engine %1 · %2 · %n Kerne</numerusform>
        </translation>
    </message>
    <message>
        <source>engine: not running</source>
        <translation>Engine: läuft nicht</translation>
    </message>
    <message>
        <source>engine: starts when needed</source>
        <translation>Engine: startet, wenn sie gebraucht wird</translation>
    </message>
    <message>
        <source>%1 of %2, %3 busy</source>
        <translation>%1 von %2, zu %3 ausgelastet</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Device memory in use by all processes, and its recent load</source>
        <translation>Speicher des Geräts in Gebrauch, von wem auch immer, und der Anteil der letzten Augenblicke, in denen es rechnete</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ErrorMaps</name>
    <message>
        <source>Error by block and kind</source>
        <translation>Fehler nach Block und Art</translation>
    </message>
    <message>
        <source>Error of the second run by block and kind</source>
        <translation>Fehler des zweiten Laufs nach Block und Art</translation>
    </message>
    <message>
        <source>Difference between the errors</source>
        <translation>Differenz beider Fehler</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>%1 − %2: purple where the first is larger</source>
        <translation>%1 − %2: violett, wo er größer ist</translation>
    </message>
    <message>
        <source>the first two of the selected runs</source>
        <translation>die ersten beiden der ausgewählten Läufe</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::EvaluateForm</name>
    <message>
        <source>What to evaluate</source>
        <translation>Was auszuwerten ist</translation>
    </message>
    <message>
        <source>Models and runs</source>
        <translation>Modelle und Läufe</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Aufgaben</translation>
    </message>
    <message>
        <source>Folder with the data sets</source>
        <translation>Ordner mit den Datensätzen</translation>
    </message>
    <message>
        <source>fetched data, else samples</source>
        <translation>Geholtes, sonst Stichproben</translation>
    </message>
    <message>
        <source>A folder with the data sets as JSON lines, or as Hugging Face&apos;s JSON (docs/formats.md lists names and fields). Empty: the fetched ones, else the bundled 100 items each of piqa, hellaswag, arc_easy and arc_challenge</source>
        <translation>Ein Ordner mit den Datensätzen als JSON Lines oder als JSON von Hugging Face (docs/formats.md nennt Namen und Felder). Leer: die geholten, sonst je 100 mitgelieferte Beispiele von piqa, hellaswag, arc_easy und arc_challenge</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Choose the folder with the data sets</source>
        <translation>Den Ordner mit den Datensätzen wählen</translation>
    </message>
    <message>
        <source>Downloads the whole data sets of the checked tasks once from the Hugging Face Hub into your data folder. The first time, this creates a Python environment of about 400 MB</source>
        <translation>Holt die ganzen Datensätze der angekreuzten Aufgaben einmal, vom Hub von Hugging Face, in den eigenen Datenordner. Beim ersten Mal entsteht eine Python-Umgebung von etwa 400 MB</translation>
    </message>
    <message>
        <source>Items per task</source>
        <translation>Beispiele je Aufgabe</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>The first items of each task. 200 items leave an uncertainty of ± 7 percentage points at 50 %; published numbers use all items</source>
        <translation>Die ersten Beispiele jeder Aufgabe. 200 Beispiele lassen ± 7 Prozentpunkte bei 50 %; die veröffentlichten Zahlen verwenden alle</translation>
    </message>
    <message>
        <source>Repeat recorded tasks</source>
        <translation>Gespeichertes neu fragen</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stops; results of finished tasks are kept</source>
        <translation>Stoppt; beendete Aufgaben bleiben gespeichert</translation>
    </message>
    <message>
        <source>The same on the command line</source>
        <translation>Dasselbe auf der Kommandozeile</translation>
    </message>
    <message>
        <source>&amp;Items per task</source>
        <translation>Be&amp;ispiele je Aufgabe</translation>
    </message>
    <message>
        <source>&amp;Models and runs</source>
        <translation>&amp;Modelle und Läufe</translation>
    </message>
    <message>
        <source>&amp;Tasks</source>
        <translation>Aufga&amp;ben</translation>
    </message>
    <message>
        <source>&amp;Data sets</source>
        <translation>&amp;Datensätze</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>&amp;Befehl</translation>
    </message>
    <message>
        <source>dense: %1</source>
        <translation>dicht: %1</translation>
    </message>
    <message>
        <source>dense</source>
        <translation>dicht</translation>
    </message>
    <message>
        <source>Evaluates every checked model on every task</source>
        <translation>Wertet jedes angekreuzte Modell mit jeder Aufgabe aus</translation>
    </message>
    <message>
        <source>Check a model or run first</source>
        <translation>Zuerst ein Modell oder einen Lauf ankreuzen</translation>
    </message>
    <message>
        <source>Check a task first</source>
        <translation>Zuerst eine Aufgabe ankreuzen</translation>
    </message>
    <message>
        <source>No data for %1: fetch it, or set a folder that contains it</source>
        <translation>Keine Daten zu %1: holen, oder einen Ordner angeben, der sie enthält</translation>
    </message>
    <message>
        <source>Stop fetching</source>
        <translation>Holen stoppen</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Starts the evaluations that were still waiting when the window was closed</source>
        <translation>Startet die Auswertungen, die beim Schließen des Fensters noch warteten</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Removes the evaluations that were still waiting when the window was closed</source>
        <translation>Entfernt die Auswertungen, die beim Schließen des Fensters noch warteten</translation>
    </message>
    <message>
        <source>Still waiting: %1</source>
        <translation>Noch wartend: %1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::EvaluatePage</name>
    <message>
        <source>%1 was not evaluated: %2</source>
        <translation>%1 wurde nicht ausgewertet: %2</translation>
    </message>
    <message>
        <source>%1: results on a sample, not on the whole task: %2</source>
        <translation>%1: Werte einer Stichprobe, nicht der Aufgabe: %2</translation>
    </message>
    <message>
        <source>Fetch downloads the whole data sets.</source>
        <translation>Holen beschafft die ganzen Datensätze.</translation>
    </message>
    <message>
        <source>Fetched: %1</source>
        <translation>Geholt: %1</translation>
    </message>
    <message>
        <source>Data sets were not fetched: %1</source>
        <translation>Datensätze wurden nicht geholt: %1</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>in parentheses and after ±: the 95 % interval</source>
        <translation>in Klammern und nach ±: das 95-%-Intervall</translation>
    </message>
    <message>
        <source>Accuracy by model and task</source>
        <translation>Genauigkeit nach Modell und Aufgabe</translation>
    </message>
    <message>
        <source>Nothing evaluated yet</source>
        <translation>Noch ist nichts ausgewertet</translation>
    </message>
    <message>
        <source>This shows how many items of each task a model answers correctly, with the 95 % interval, and every item below. The bundled 100 items each of four tasks take a minute; published figures need the whole data sets, which are fetched once.</source>
        <translation>Hier wird stehen, wie viele Beispiele jeder Aufgabe ein Modell richtig beantwortet, mit dem 95-%-Intervall, und darunter jedes Beispiel. Je 100 Beispiele von vier Aufgaben sind dabei und dauern eine Minute; veröffentlichte Werte brauchen die ganzen Datensätze, die einmal geholt werden.</translation>
    </message>
    <message>
        <source>Evaluate with available &amp;data</source>
        <translation>Mit vorhandenen &amp;Daten auswerten</translation>
    </message>
    <message>
        <source>The checked tasks, on fetched data or else the bundled samples</source>
        <translation>Was geholt wurde, sonst die mitgelieferten Stichproben, der angekreuzten Aufgaben</translation>
    </message>
    <message>
        <source>Fetch the &amp;whole data sets</source>
        <translation>&amp;Ganze Datensätze holen</translation>
    </message>
    <message>
        <source>For the checked tasks, as cospadi data fetch does; the first time, this also creates a Python environment of about 400 MB</source>
        <translation>Der angekreuzten Aufgaben, wie cospadi data fetch es tut; beim ersten Mal auch eine Python-Umgebung von etwa 400 MB</translation>
    </message>
    <message>
        <source>%1: %2 of %3 items</source>
        <translation>%1: %2 von %3 Beispielen</translation>
    </message>
    <message>
        <source>%1: loading the model</source>
        <translation>%1: das Modell wird geladen</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>, noch %1</translation>
    </message>
    <message>
        <source> · waiting: %1</source>
        <translation> · wartend: %1</translation>
    </message>
    <message>
        <source>Data sets: %1</source>
        <translation>Datensätze: %1</translation>
    </message>
    <message>
        <source>Stop fetching</source>
        <translation>Holen stoppen</translation>
    </message>
    <message>
        <source>The results of %1 are missing from the stored runs: %2</source>
        <translation>Die Ergebnisse von %1 stehen nicht bei den gespeicherten Läufen: %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ExploreCharts</name>
    <message>
        <source>Error by iteration</source>
        <translation>Fehler nach Iteration</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Error by ρ</source>
        <translation>Fehler nach ρ</translation>
    </message>
    <message>
        <source>ρ = k/s</source>
        <translation>ρ = k/s</translation>
    </message>
    <message>
        <source>Error by bytes</source>
        <translation>Fehler nach Bytes</translation>
    </message>
    <message>
        <source>bytes (kB)</source>
        <translation>Bytes (kB)</translation>
    </message>
    <message>
        <source>Error against ρ at this CR appears after the first solve.</source>
        <translation>Der Fehler über ρ bei dieser CR kommt nach dem ersten Lösen.</translation>
    </message>
    <message>
        <source>Error against stored bytes appears after the first solve.</source>
        <translation>Der Fehler über gespeicherten Bytes kommt nach dem ersten Lösen.</translation>
    </message>
    <message>
        <source>At this setting</source>
        <translation>Bei dieser Einstellung</translation>
    </message>
    <message>
        <source>Low rank: SVD-LLM (plain SVD without calibration) at the same bytes, dashed in the charts</source>
        <translation>Niedrigrang: SVD-LLM (ohne Kalibrierung einfache SVD) bei gleichen Bytes, in den Diagrammen gestrichelt</translation>
    </message>
    <message>
        <source>Every matrix at this setting</source>
        <translation>Jede Matrix bei dieser Einstellung</translation>
    </message>
    <message>
        <source>relative error</source>
        <translation>relativer Fehler</translation>
    </message>
    <message>
        <source>whitened relative error</source>
        <translation>geweißter relativer Fehler</translation>
    </message>
    <message>
        <source>plain relative error</source>
        <translation>einfacher relativer Fehler</translation>
    </message>
    <message>
        <source>bytes (% of bf16)</source>
        <translation>Bytes (% von bf16)</translation>
    </message>
    <message>
        <source>dashed: low rank</source>
        <translation>gestrichelt: Niedrigrang</translation>
    </message>
    <message>
        <source>&lt;p style=&apos;font-size:large; color:%1&apos;&gt;Drag ρ, CR or the iterations&lt;/p&gt;&lt;p&gt;The matrix is solved again at once, and the curves grow as better estimates come in.&lt;/p&gt;</source>
        <translation>&lt;p style=&apos;font-size:large; color:%1&apos;&gt;ρ, CR oder die Iterationen ziehen&lt;/p&gt;&lt;p&gt;Die Matrix wird sofort neu gelöst, und die Kurven wachsen, während bessere Schätzungen eintreffen.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ExploreControls</name>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Solver</source>
        <translation>Solver</translation>
    </message>
    <message>
        <source>ρ = k/s</source>
        <translation>ρ = k/s</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>fast</translation>
    </message>
    <message>
        <source>K-SVD</source>
        <translation>K-SVD</translation>
    </message>
    <message>
        <source>K-SVD takes minutes for a curve; fast takes seconds</source>
        <translation>K-SVD braucht Minuten für eine Kurve, fast Sekunden</translation>
    </message>
    <message>
        <source>Compression ratio</source>
        <translation>Kompressionsrate</translation>
    </message>
    <message>
        <source>Compression ratio γ: the fraction of storage that is removed (eq. 9)</source>
        <translation>Kompressionsrate γ: der Anteil des Speichers, der wegfällt (Gl. 9)</translation>
    </message>
    <message>
        <source>ρ</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>ρ = k/s: atoms per non-zero of a column (§3.4)</source>
        <translation>ρ = k/s: Atome je Nichtnulleintrag einer Spalte (§3.4)</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Iterations T of the solver; fast: 22, K-SVD: 60 by default</source>
        <translation>Iterationen T des Solvers; fast: 22, K-SVD: 60 als Standard</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Computes and keeps the Gram matrices XᵀX of the plan&apos;s calibration text, so that errors are whitened. Takes about a minute for the default model.</source>
        <translation>Behält die Gram-Matrizen XᵀX des Kalibrierungstextes des Plans, damit Fehler geweißt sind. Etwa eine Minute für das Standardmodell.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Use in plan</source>
        <translation>In den Plan</translation>
    </message>
    <message>
        <source>Copies CR, ρ, solver and iterations to the plan, where they apply</source>
        <translation>Setzt CR, ρ, Solver und Iterationen in den Plan, soweit sie zählen</translation>
    </message>
    <message>
        <source>Keep as run</source>
        <translation>Als Lauf behalten</translation>
    </message>
    <message>
        <source>Compresses the explored matrices again with these settings and stores the result as a run</source>
        <translation>Komprimiert das Untersuchte mit diesen Einstellungen noch einmal und speichert es als Lauf</translation>
    </message>
    <message>
        <source>calibrating …</source>
        <translation>Kalibrierung …</translation>
    </message>
    <message>
        <source>calibrating: %1 of %2</source>
        <translation>Kalibrierung: %1 von %2</translation>
    </message>
    <message>
        <source>%1, about %2 left</source>
        <translation>%1, noch etwa %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ExplorePage</name>
    <message>
        <source>solving …</source>
        <translation>wird gelöst …</translation>
    </message>
    <message>
        <source>&amp;nbsp;</source>
        <translation>&amp;nbsp;</translation>
    </message>
    <message>
        <source>Explore a matrix</source>
        <translation>Eine Matrix unter der Hand</translation>
    </message>
    <message>
        <source>Open a model: one of its matrices is solved while you drag ρ, CR or the iterations, and its curves grow as better estimates come in.</source>
        <translation>Ein Modell öffnen: Eine Matrix daraus wird gelöst, während Sie ρ, CR oder die Iterationen ziehen, und ihre Kurven wachsen, sobald bessere Schätzungen kommen.</translation>
    </message>
    <message>
        <source>Not calibrated: %1</source>
        <translation>Nicht kalibriert: %1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ExportButton</name>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Save as SVG, PDF or PNG at a chosen size, or its data as CSV</source>
        <translation>Als SVG, PDF oder PNG in gewählter Größe speichern, oder die Daten als CSV</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ExportDialog</name>
    <message>
        <source>Export %1</source>
        <translation>%1 exportieren</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>SVG: vectors, for papers and the web</source>
        <translation>SVG: Vektoren, für Paper und Web</translation>
    </message>
    <message>
        <source>PDF: vectors, for LaTeX</source>
        <translation>PDF: Vektoren, für LaTeX</translation>
    </message>
    <message>
        <source>PNG: pixels, 288 dpi, for slides</source>
        <translation>PNG: Pixel, 288 dpi, für Folien</translation>
    </message>
    <message>
        <source>CSV: the data behind it</source>
        <translation>CSV: die Daten dahinter</translation>
    </message>
    <message>
        <source>pgfplots: coordinates, drawn by LaTeX</source>
        <translation>pgfplots: Koordinaten, von LaTeX gezeichnet</translation>
    </message>
    <message>
        <source>One column of a paper</source>
        <translation>Eine Spalte eines Papers</translation>
    </message>
    <message>
        <source>Full width of a paper</source>
        <translation>Volle Breite eines Papers</translation>
    </message>
    <message>
        <source>NeurIPS, ICLR: text width, 8 pt</source>
        <translation>NeurIPS, ICLR: Textbreite, 8 pt</translation>
    </message>
    <message>
        <source>ICML: one column, 8 pt</source>
        <translation>ICML: eine Spalte, 8 pt</translation>
    </message>
    <message>
        <source>ICML: both columns, 8 pt</source>
        <translation>ICML: beide Spalten, 8 pt</translation>
    </message>
    <message>
        <source>ACL, EMNLP: one column, 8 pt</source>
        <translation>ACL, EMNLP: eine Spalte, 8 pt</translation>
    </message>
    <message>
        <source>Slide</source>
        <translation>Folie</translation>
    </message>
    <message>
        <source>As on the screen</source>
        <translation>Wie auf dem Bildschirm</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Andere</translation>
    </message>
    <message>
        <source> mm</source>
        <translation> mm</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Text size on paper; lines scale with it</source>
        <translation>Wie groß Wörter auf Papier sind; Linien wachsen und schrumpfen mit ihnen</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>as on the screen</source>
        <translation>wie auf dem Bildschirm</translation>
    </message>
    <message>
        <source>for print: white, line styles as well as colours</source>
        <translation>für den Druck: weiß, Linienarten zusätzlich zu Farben</translation>
    </message>
    <message>
        <source>Curves differ in their dashes as well as in colour-blind-safe colours,
so that they can be told apart on a black-and-white print</source>
        <translation>Kurven unterscheiden sich in Strichen und in Farben für Farbenblinde,
damit sie auch in Schwarz-Weiß zu unterscheiden sind</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Schrift</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>%1 already exists. Press again to replace it.</source>
        <translation>%1 gibt es schon. Noch einmal drücken, um es zu ersetzen.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Nothing was saved:</source>
        <translation>Nichts wurde gespeichert:</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::FiguresMenu</name>
    <message>
        <source>Figures</source>
        <translation>Abbildungen</translation>
    </message>
    <message>
        <source>Charts with their axes and selection of runs, saved by name and redrawn from the current runs; cospadi report --saved NAME prints their data</source>
        <translation>Diagramme mit ihren Achsen und ihrer Auswahl von Läufen, unter einem Namen gespeichert und aus den vorhandenen Läufen neu gezeichnet; cospadi report --saved NAME liefert ihre Daten</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Save this figure…</source>
        <translation>Diese Abbildung speichern…</translation>
    </message>
    <message>
        <source>Save this figure</source>
        <translation>Diese Abbildung speichern</translation>
    </message>
    <message>
        <source>Name for this chart, its axes and selection of runs</source>
        <translation>Diagramm, Achsen und Auswahl der Läufe unter dem Namen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::GroupedRunsModel</name>
    <message>
        <source>none</source>
        <translation>ohne</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 (%2 of %3 finished)</source>
        <translation>%1 (%2 von %3 fertig)</translation>
    </message>
    <message>
        <source>The best of the group</source>
        <translation>Der beste der Gruppe</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n run(s)</source>
        <translation>
            <numerusform>%1: %n Lauf</numerusform>
            <numerusform>%1: %n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>no sweep</source>
        <translation>kein Sweep</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::HeatMap</name>
    <message>
        <source>%1 by %2 cells; arrow keys move between cells</source>
        <translation>%1 × %2 Zellen; Pfeiltasten gehen von Zelle zu Zelle</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::JobTableModel</name>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>≈ %1</source>
        <translation>≈ %1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>ρ</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::LayerTicks</name>
    <message>
        <source>Select layers by regular expression</source>
        <translation>Schichten durch regulären Ausdruck auswählen</translation>
    </message>
    <message>
        <source>Select by regular expression, e.g. blk\.[0-9]\.ffn</source>
        <translation>Regulärer Ausdruck, z. B. blk\.[0-9]\.ffn</translation>
    </message>
    <message>
        <source>Ticks exactly the layers whose name contains a match.
Names look like blk.10.ffn_up. Press Enter.</source>
        <translation>Kreuzt genau die Schichten an, in deren Namen der Ausdruck vorkommt.
Namen sehen aus wie blk.10.ffn_up. Enter drücken.</translation>
    </message>
    <message>
        <source>First block</source>
        <translation>Erster Block</translation>
    </message>
    <message>
        <source>Last block</source>
        <translation>Letzter Block</translation>
    </message>
    <message>
        <source>Only these blocks</source>
        <translation>Nur diese Blöcke</translation>
    </message>
    <message>
        <source>Unticks every layer outside this range of blocks</source>
        <translation>Nimmt alle Schichten außerhalb dieser Blöcke heraus</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>All %1 layers</source>
        <translation>Alle %1 Schichten</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Select every layer</source>
        <translation>Alle Schichten auswählen</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Select no layer</source>
        <translation>Keine Schicht auswählen</translation>
    </message>
    <message>
        <source>Not a regular expression: %1</source>
        <translation>Kein regulärer Ausdruck: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s) (matches|match); Enter ticks (it|them)</source>
        <translation>
            <numerusform>In %n Schicht gefunden; Enter kreuzt sie an</numerusform>
            <numerusform>In %n Schichten gefunden; Enter kreuzt sie an</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cospadi::ui::LayerTree</name>
    <message>
        <source>Layers of the model</source>
        <translation>Schichten des Modells</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::LayerTreeModel</name>
    <message>
        <source>Outside the blocks</source>
        <translation>Außerhalb der Blöcke</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>Block %1</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n Schicht</numerusform>
            <numerusform>%n Schichten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 input × %3 output features, stored as %4 in %5</source>
        <translation>%1: %2 Eingangs- × %3 Ausgangsmerkmale, gespeichert als %4 in %5</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>d₁ × d₂</source>
        <translation>d₁ × d₂</translation>
    </message>
    <message>
        <source>Stored as</source>
        <translation>Gespeichert als</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Linear layers by block; ticked ones are compressed</source>
        <translation>Lineare Schichten nach Block; angekreuzte werden komprimiert</translation>
    </message>
    <message>
        <source>Input features × output features: W is (d₁, d₂), Y = X W</source>
        <translation>Eingangs- × Ausgangsmerkmale: W ist (d₁, d₂), Y = X W</translation>
    </message>
    <message>
        <source>Number format in the model&apos;s file; the engine widens it to float</source>
        <translation>Zahlenformat in der Datei des Modells; die Engine erweitert es zu float</translation>
    </message>
    <message>
        <source>Bytes in the model&apos;s file</source>
        <translation>Bytes in der Datei des Modells</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::LivePreferences</name>
    <message>
        <source>The language changes when the program is restarted.</source>
        <translation>Die Sprache wechselt, wenn das Programm neu gestartet wird.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MainMenu</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Open model file…</source>
        <translation>Modelldatei ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open Hugging Face &amp;folder…</source>
        <translation>&amp;Ordner von Hugging Face öffnen…</translation>
    </message>
    <message>
        <source>Open the &amp;default model</source>
        <translation>&amp;Standardmodell öffnen</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Undo %1</source>
        <translation>&amp;Rückgängig: %1</translation>
    </message>
    <message>
        <source>&amp;Redo %1</source>
        <translation>&amp;Wiederholen: %1</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>&amp;Run the plan</source>
        <translation>&amp;Plan starten</translation>
    </message>
    <message>
        <source>Run on a c&amp;luster…</source>
        <translation>Auf einem C&amp;luster laufen lassen…</translation>
    </message>
    <message>
        <source>Try &amp;one block first</source>
        <translation>Erst &amp;einen Block versuchen</translation>
    </message>
    <message>
        <source>&amp;Pause or resume</source>
        <translation>A&amp;nhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Cancel the run</source>
        <translation>Lauf ab&amp;brechen</translation>
    </message>
    <message>
        <source>Forget &amp;waiting runs</source>
        <translation>&amp;Wartende Läufe vergessen</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Light or dark</source>
        <translation>&amp;Hell oder dunkel</translation>
    </message>
    <message>
        <source>Find a &amp;command…</source>
        <translation>&amp;Befehl suchen…</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;First steps</source>
        <translation>&amp;Erste Schritte</translation>
    </message>
    <message>
        <source>&amp;Shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;About CoSpaDi Workbench</source>
        <translation>Ü&amp;ber CoSpaDi Workbench</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MainWindow</name>
    <message>
        <source>CoSpaDi Workbench</source>
        <translation>CoSpaDi Workbench</translation>
    </message>
    <message>
        <source>Runs: %1</source>
        <translation>Läufe: %1</translation>
    </message>
    <message>
        <source>The run is finished</source>
        <translation>Der Lauf ist fertig</translation>
    </message>
    <message>
        <source>The run has ended: %1</source>
        <translation>Der Lauf ist zu Ende: %1</translation>
    </message>
    <message>
        <source>%1 of %2 matrices in %3</source>
        <translation>%1 von %2 Matrizen in %3</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MapLegend</name>
    <message>
        <source>Colours: %1</source>
        <translation>Farben: %1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MapSide</name>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MapTiles</name>
    <message numerus="yes">
        <source>%n small map(s); arrow keys move between them</source>
        <translation>
            <numerusform>%n kleine Karte; Pfeiltasten gehen von einer zur anderen</numerusform>
            <numerusform>%n kleine Karten; Pfeiltasten gehen von einer zur anderen</numerusform>
        </translation>
    </message>
    <message>
        <source>share of entries that are not 0: 0 … %1</source>
        <translation>Anteil der Einträge ≠ 0: 0 … %1</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>wird gelesen</translation>
    </message>
    <message>
        <source>%1: %2 atoms × %3 columns, %4 of the entries are not 0</source>
        <translation>%1: %2 Atome × %3 Spalten, %4 der Einträge sind nicht 0</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MatrixFate</name>
    <message>
        <source>Click a matrix to pin it, limit it or leave it out</source>
        <translation>Eine Matrix anklicken, um sie festzulegen, zu begrenzen oder auszulassen</translation>
    </message>
    <message>
        <source>How this matrix is treated</source>
        <translation>Was aus dieser Matrix wird</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>wie am besten</translation>
    </message>
    <message>
        <source>pinned to CR</source>
        <translation>festgelegt auf CR</translation>
    </message>
    <message>
        <source>at most CR</source>
        <translation>höchstens CR</translation>
    </message>
    <message>
        <source>left as it is</source>
        <translation>unverändert</translation>
    </message>
    <message>
        <source>Pinned: this ratio, whatever the others have. At most: a floor for its bytes. Left as it is: not compressed, and not counted in CR.</source>
        <translation>Festgelegt: diese Rate, was die anderen auch haben. Höchstens: eine Untergrenze für ihre Bytes. Unverändert: nicht komprimiert und in CR nicht mitgezählt.</translation>
    </message>
    <message>
        <source>Compression ratio of this matrix</source>
        <translation>Kompressionsrate dieser Matrix</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alle freigeben</translation>
    </message>
    <message>
        <source>Removes all pins, limits and exclusions</source>
        <translation>Hebt alle Festlegungen, Grenzen und Auslassungen auf</translation>
    </message>
    <message>
        <source>%1: CR %2, error %3, %4, %5 nats per token</source>
        <translation>%1: CR %2, Fehler %3, %4, %5 Nat je Token</translation>
    </message>
    <message>
        <source>%1: left as it is</source>
        <translation>%1: unverändert</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MatrixLab</name>
    <message>
        <source>explore</source>
        <translation>erkunden</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MatrixPicker</name>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Other matrices to explore</source>
        <translation>Matrizen daneben</translation>
    </message>
    <message>
        <source>Only %1</source>
        <translation>Nur %1</translation>
    </message>
    <message>
        <source>All kinds of block %1</source>
        <translation>Alle Arten von Block %1</translation>
    </message>
    <message>
        <source>%1 across the blocks</source>
        <translation>%1 durch die Tiefe</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>Block %1</translation>
    </message>
    <message>
        <source>+ others</source>
        <translation>+ andere</translation>
    </message>
    <message numerus="yes">
        <source>+ %n more</source>
        <translation>
            <numerusform>+ %n weitere</numerusform>
            <numerusform>+ %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Other matrices at the same setting, up to %1 together</source>
        <translation>Andere Matrizen mit derselben Einstellung, zusammen bis zu %1</translation>
    </message>
    <message>
        <source>Also explored: %1</source>
        <translation>Daneben erkundet: %1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MatrixTableModel</name>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>k = %1 atoms, s = %2 non-zeros per column</source>
        <translation>k = %1 Atome, s = %2 Nichtnulleinträge je Spalte</translation>
    </message>
    <message>
        <source>%1 (%2 × %3): %4</source>
        <translation>%1 (%2 × %3): %4</translation>
    </message>
    <message>
        <source>%1 on disk, %2 as bf16</source>
        <translation>%1 auf der Platte, %2 als bf16</translation>
    </message>
    <message>
        <source>, %1 in the model&apos;s file (%2)</source>
        <translation>, %1 in der Datei des Modells (%2)</translation>
    </message>
    <message>
        <source>%1 M multiplications per token, %2 M dense</source>
        <translation>%1 M Multiplikationen je Token, dicht %2 M</translation>
    </message>
    <message>
        <source>, %1 atoms in use</source>
        <translation>, %1 Atome in Gebrauch</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>nicht fertig</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>Tot</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Select rows to highlight their curves</source>
        <translation>Zeilen auswählen, um ihre Kurven hervorzuheben</translation>
    </message>
    <message>
        <source>Atoms that no column uses</source>
        <translation>Atome, die keine Spalte nutzt</translation>
    </message>
    <message>
        <source>Bytes of the finished file</source>
        <translation>Bytes der fertigen Datei</translation>
    </message>
    <message>
        <source>Wall-clock time spent on this matrix</source>
        <translation>Zeit, die diese Matrix brauchte</translation>
    </message>
    <message>
        <source>
Of the stored factors once finished.</source>
        <translation>
Der gespeicherten Faktoren, sobald sie fertig sind.</translation>
    </message>
    <message>
        <source>%1 (%2 × %3)</source>
        <translation>%1 (%2 × %3)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MessageBar</name>
    <message>
        <source>and %1 earlier</source>
        <translation>und %1 davor</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MessageRow</name>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Close message</source>
        <translation>Meldung schließen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MethodSection</name>
    <message>
        <source>The paper&apos;s settings</source>
        <translation>Einstellungen des Papers</translation>
    </message>
    <message>
        <source>The paper&apos;s settings (Table 8)</source>
        <translation>Einstellungen des Papers (Tabelle 8)</translation>
    </message>
    <message>
        <source>K-SVD 60 × 8 started from columns of W, dead atoms kept, coefficients truncated to 14 bits, eq 11, ρ 2, seed 42, calibration on 256 × 1024 tokens. It does not set CR or layers. The text is C4 and other web text, not RefinedWeb as in the paper. Changing a field afterwards makes it a different plan.</source>
        <translation>K-SVD 60 × 8, begonnen mit Spalten von W, tote Atome behalten, Koeffizienten auf 14 Bit abgeschnitten, Gl. 11, ρ 2, Seed 42, Kalibrierung auf 256 × 1024 Tokens. Über CR und Schichten sagen sie nichts. Der Text ist C4 und anderer Text aus dem Web, nicht RefinedWeb wie im Paper. Ein danach geändertes Feld macht daraus einen anderen Plan.</translation>
    </message>
    <message>
        <source>custom settings</source>
        <translation>eigene Einstellungen</translation>
    </message>
    <message>
        <source>Effort</source>
        <translation>Aufwand</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Method (§3)</source>
        <translation>Methode (§3)</translation>
    </message>
    <message>
        <source>How a weight W is replaced by something smaller. CoSpaDi: a dictionary D and sparse codes S learned on the whitened weight, L W ≈ D S; every other choice is described in a line. Data-free methods omit L.</source>
        <translation>Wodurch ein Gewicht W ersetzt wird, das kleiner ist. CoSpaDi: ein Wörterbuch D und dünn besetzte Codes S, am geweißten Gewicht gelernt, L W ≈ D S; jede andere Wahl sagt in einer Zeile, was sie tut. Die datenfreien lassen L weg.</translation>
    </message>
    <message>
        <source>method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>These are the paper&apos;s settings</source>
        <translation>Dies sind die Einstellungen des Papers</translation>
    </message>
    <message>
        <source>Use the paper&apos;s settings</source>
        <translation>Einstellungen des Papers verwenden</translation>
    </message>
    <message>
        <source>How much time the run may spend on quality. quick: 10 iterations, and 16 sequences of calibration text. usual: the defaults. best: 256 sequences, and layers of neighbouring blocks share dictionaries according to what their errors cost; where they cannot, CR by sensitivity and ρ per matrix, with 60 iterations. This fills in the fields below; each can be changed afterwards.</source>
        <translation>Wie viel Zeit der Lauf für seine Güte verwenden darf. schnell: 10 Iterationen und 16 Sequenzen Kalibrierungstext. üblich: was hier anfangs steht. bestens: 256 Sequenzen, und Schichten benachbarter Blöcke teilen sich Wörterbücher nach den Kosten ihrer Fehler; wo sie das nicht können, CR nach Empfindlichkeit und ρ je Matrix, in 60 Iterationen. Füllt die Felder darunter; jedes kann danach geändert werden.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MissingModel</name>
    <message>
        <source>Open a GGUF file…</source>
        <translation>GGUF-Datei öffnen…</translation>
    </message>
    <message>
        <source>Open a Hugging Face folder…</source>
        <translation>Ordner von Hugging Face öffnen…</translation>
    </message>
    <message>
        <source>Reading %1 …</source>
        <translation>%1 wird gelesen …</translation>
    </message>
    <message>
        <source>&lt;h3&gt;No model is open&lt;/h3&gt;&lt;p&gt;%1&lt;/p&gt;&lt;p style=&apos;color:%4&apos;&gt;%2&lt;/p&gt;&lt;p&gt;%3&lt;/p&gt;&lt;p&gt;The default model (SmolLM2-135M-Instruct, 98 MB, Apache-2.0) is fetched by &lt;b&gt;%5&lt;/b&gt;. Then start the workbench again, or open a model of your own:&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Kein Modell ist offen&lt;/h3&gt;&lt;p&gt;%1&lt;/p&gt;&lt;p style=&apos;color:%4&apos;&gt;%2&lt;/p&gt;&lt;p&gt;%3&lt;/p&gt;&lt;p&gt;Das Standardmodell (SmolLM2-135M-Instruct, 98 MB, Apache-2.0) holt &lt;b&gt;%5&lt;/b&gt;. Danach die Workbench neu starten, oder ein eigenes Modell öffnen:&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ModelPanel</name>
    <message>
        <source>%1
The file calls itself “%2”</source>
        <translation>%1
Die Datei nennt sich „%2“</translation>
    </message>
    <message>
        <source>Context %1 tokens · vocabulary %2 · %3 tensors
%4</source>
        <translation>Kontext %1 Tokens · Vokabular %2 · %3 Tensoren
%4</translation>
    </message>
    <message>
        <source>%1 of %2 layers selected · %3 weights</source>
        <translation>%1 von %2 Schichten ausgewählt · %3 Gewichte</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::MonitorPage</name>
    <message>
        <source>Log of the run</source>
        <translation>Protokoll des Laufs</translation>
    </message>
    <message>
        <source>What the engine does, line by line.</source>
        <translation>Was die Engine tut, Zeile für Zeile.</translation>
    </message>
    <message>
        <source>Log of the earlier run</source>
        <translation>Protokoll des früheren Laufs</translation>
    </message>
    <message>
        <source>This run left no log.</source>
        <translation>Dieser Lauf hinterließ kein Protokoll.</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>Matrizen</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Clusters (%1)</source>
        <translation>Cluster (%1)</translation>
    </message>
    <message>
        <source>Matrices of this run</source>
        <translation>Matrizen dieses Laufs</translation>
    </message>
    <message>
        <source>Queue (%1)</source>
        <translation>Warteschlange (%1)</translation>
    </message>
    <message>
        <source>Reconstruction error</source>
        <translation>Rekonstruktionsfehler</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>log. Skala</translation>
    </message>
    <message>
        <source>Logarithmic error axis; values ≤ 0 are left out</source>
        <translation>Logarithmische Fehlerachse; Werte ≤ 0 fallen weg</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Running mean over this many iterations, before the curve is drawn</source>
        <translation>Gleitendes Mittel über so viele Iterationen, bevor die Kurve gezeichnet wird</translation>
    </message>
    <message>
        <source>as measured</source>
        <translation>wie gemessen</translation>
    </message>
    <message>
        <source>mean of %1</source>
        <translation>Mittel von %1</translation>
    </message>
    <message>
        <source>Try &amp;one block first</source>
        <translation>Erst &amp;einen Block versuchen</translation>
    </message>
    <message>
        <source>Ticks only the first block and runs it with a short calibration: takes seconds, and explains the result</source>
        <translation>Kreuzt nur den ersten Block an und lässt ihn mit kurzer Kalibrierung laufen: Sekunden, und das Ergebnis wird erklärt</translation>
    </message>
    <message>
        <source>No matrix has started yet</source>
        <translation>Noch hat keine Matrix begonnen</translation>
    </message>
    <message>
        <source>The run ended before its first matrix</source>
        <translation>Er endete vor seiner ersten Matrix</translation>
    </message>
    <message>
        <source>Nothing has run yet</source>
        <translation>Noch ist nichts gelaufen</translation>
    </message>
    <message>
        <source>The model is read and calibrated first, where the method needs it; the bar above shows the progress.</source>
        <translation>Das Modell wird zuerst gelesen und kalibriert, wo die Methode das braucht; der Balken oben sagt, wie weit es ist.</translation>
    </message>
    <message>
        <source>The log shows how.</source>
        <translation>Das Protokoll sagt, wie.</translation>
    </message>
    <message>
        <source>Tick layers under Model, choose a compression ratio under Plan, then press &lt;b&gt;Run&lt;/b&gt;; the expected cost is shown next to it. Or start small:</source>
        <translation>Unter Modell Schichten ankreuzen, unter Plan eine Kompressionsrate wählen, dann &lt;b&gt;Starten&lt;/b&gt; drücken; was es kosten wird, steht daneben. Oder klein beginnen:</translation>
    </message>
    <message>
        <source>The error of every matrix is drawn here, iteration by iteration.</source>
        <translation>Der Fehler jeder Matrix wird hier gezeichnet, Iteration für Iteration.</translation>
    </message>
    <message>
        <source>%2 of %3 matrices done · %1</source>
        <translation>%2 von %3 Matrizen fertig · %1</translation>
    </message>
    <message>
        <source>%1, per iteration; dashed: on held-out text; dots: as stored</source>
        <translation>%1, je Iteration; gestrichelt: auf zurückgehaltenem Text; Punkte: wie gespeichert</translation>
    </message>
    <message>
        <source>%1, per iteration; dots: as stored</source>
        <translation>%1, je Iteration; Punkte: wie gespeichert</translation>
    </message>
    <message>
        <source>Every matrix of a run is listed here once work on it has started.</source>
        <translation>Jede Matrix eines Laufs steht hier, sobald ihre Arbeit begonnen hat.</translation>
    </message>
    <message>
        <source>; finer dashes: %1</source>
        <translation>; feiner gestrichelt: %1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::NumbersCard</name>
    <message>
        <source>At this setting</source>
        <translation>Bei dieser Einstellung</translation>
    </message>
    <message>
        <source>Prediction at this setting</source>
        <translation>Was bei dieser Einstellung vorhergesagt wird</translation>
    </message>
    <message>
        <source>The first estimate takes a few seconds.</source>
        <translation>Die erste Schätzung kommt in einigen Sekunden.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::OpenModel</name>
    <message>
        <source>%1 – CoSpaDi Workbench</source>
        <translation>%1 – CoSpaDi Workbench</translation>
    </message>
    <message>
        <source>%1 was not opened: %2</source>
        <translation>%1 wurde nicht geöffnet: %2</translation>
    </message>
    <message>
        <source>%1 The previous model is still open.</source>
        <translation>%1 Das vorher offene Modell bleibt offen.</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Ein Modell öffnen</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation>GGUF-Modelle (*.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a Hugging Face folder</source>
        <translation>Einen Ordner von Hugging Face öffnen</translation>
    </message>
    <message>
        <source>No other recent models</source>
        <translation>Noch war kein anderes Modell offen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::OpenModelButton</name>
    <message>
        <source>GGUF file…</source>
        <translation>GGUF-Datei…</translation>
    </message>
    <message>
        <source>Hugging Face folder…</source>
        <translation>Ordner von Hugging Face…</translation>
    </message>
    <message>
        <source>The default model</source>
        <translation>Das Standardmodell</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>%1 wird gelesen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open another model, or drop a file or folder onto the window</source>
        <translation>Ein anderes Modell öffnen; oder eine Datei oder einen Ordner auf das Fenster ziehen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::OrderedList</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Remove (Delete)</source>
        <translation>Entfernen (Entf)</translation>
    </message>
    <message>
        <source>Up (Alt+Up)</source>
        <translation>Nach oben (Alt+Auf)</translation>
    </message>
    <message>
        <source>Down (Alt+Down)</source>
        <translation>Nach unten (Alt+Ab)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PaperMenu</name>
    <message>
        <source>Paper</source>
        <translation>Paper</translation>
    </message>
    <message>
        <source>Results of the paper</source>
        <translation>Ergebnisse des Papers</translation>
    </message>
    <message>
        <source>%1 (table %2)</source>
        <translation>%1 (Tabelle %2)</translation>
    </message>
    <message>
        <source>The paper reports accuracies and perplexities of lm-eval&apos;s tasks against CR, ρ or iterations: choose such a value, for example piqa/acc_norm</source>
        <translation>Das Paper druckt Genauigkeiten und Perplexitäten der Aufgaben von lm-eval über CR, ρ oder Iterationen: einen solchen Wert wählen, zum Beispiel piqa/acc_norm</translation>
    </message>
    <message>
        <source>Overlays results from the paper&apos;s tables on the chart, with their source</source>
        <translation>Legt Ergebnisse der Tabellen des Papers über das Diagramm, mit Quelle</translation>
    </message>
    <message>
        <source>from the paper: %1, table %2</source>
        <translation>aus dem Paper: %1, Tabelle %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ParallelBar</name>
    <message>
        <source>A&amp;xes</source>
        <translation>A&amp;chsen</translation>
    </message>
    <message>
        <source>The axes shown. Drag the name of an axis in the chart to move it</source>
        <translation>Welche Achsen es gibt. Ihre Namen lassen sich im Diagramm an eine andere Stelle ziehen</translation>
    </message>
    <message>
        <source>Lines are coloured by</source>
        <translation>Linien sind gefärbt nach</translation>
    </message>
    <message>
        <source>Co&amp;lour by</source>
        <translation>&amp;Farbe nach</translation>
    </message>
    <message>
        <source>selection only</source>
        <translation>nur Auswahl</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ParallelComparison</name>
    <message>
        <source>No runs are listed above. Each run is a line here.</source>
        <translation>Oben werden keine Läufe gezeigt. Jeder Lauf ist hier eine Linie.</translation>
    </message>
    <message>
        <source>drag along an axis: only runs inside stay, here and above; drag its name to move it</source>
        <translation>entlang einer Achse ziehen: nur Läufe darin bleiben, hier und oben; am Namen ziehen: an eine andere Stelle</translation>
    </message>
    <message>
        <source>; coloured up to %1 runs</source>
        <translation>; gefärbt bis zu %1 Läufen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ParallelCoordinates</name>
    <message>
        <source>Parallel coordinates</source>
        <translation>Parallele Koordinaten</translation>
    </message>
    <message numerus="yes">
        <source>%1 over %n ax(is|es)</source>
        <translation>
            <numerusform>%1 über %n Achse</numerusform>
            <numerusform>%1 über %n Achsen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Drag along the axis: only runs inside stay. Click: all again. Drag its name to move it</source>
        <translation>Entlang der Achse ziehen: nur Läufe darin bleiben. Klick: wieder alle. Am Namen ziehen: an eine andere Stelle</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PatternCharts</name>
    <message>
        <source>Histogram of the coefficients</source>
        <translation>Histogramm der Koeffizienten</translation>
    </message>
    <message>
        <source>coefficient × norm of its atom</source>
        <translation>Koeffizient × Norm seines Atoms</translation>
    </message>
    <message>
        <source>non-zeros</source>
        <translation>Nichtnulleinträge</translation>
    </message>
    <message>
        <source>How large the coefficients of S are.</source>
        <translation>Wie groß die Koeffizienten von S sind.</translation>
    </message>
    <message>
        <source>Mutual coherence of the atoms</source>
        <translation>Gegenseitige Kohärenz der Atome</translation>
    </message>
    <message>
        <source>atoms, most coherent first (% of k)</source>
        <translation>Atome, die kohärentesten zuerst (% von k)</translation>
    </message>
    <message>
        <source>largest |cos| with another atom</source>
        <translation>größter |cos| mit einem anderen Atom</translation>
    </message>
    <message>
        <source>How similar the atoms of the dictionary are.</source>
        <translation>Wie ähnlich sich die Atome des Wörterbuchs sind.</translation>
    </message>
    <message>
        <source>Co-occurrence of atoms</source>
        <translation>Gemeinsames Auftreten von Atomen</translation>
    </message>
    <message>
        <source>Atoms × atoms, most used first: of the columns that use one or the other, the share that uses both (Jaccard). Dark: always together.</source>
        <translation>Atome × Atome, meistgenutzte zuerst: von den Spalten, die das eine oder das andere nutzen, der Anteil, der beide nutzt (Jaccard). Dunkel: immer zusammen.</translation>
    </message>
    <message>
        <source>Usage</source>
        <translation>Nutzung</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Coherence</source>
        <translation>Kohärenz</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>atoms, most used first</source>
        <translation>Atome, meistgenutzte zuerst</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PatternControls</name>
    <message>
        <source>First run</source>
        <translation>Erster Lauf</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Show the whole pattern</source>
        <translation>Das ganze Muster zeigen</translation>
    </message>
    <message>
        <source>Maps shown here</source>
        <translation>Welche Karten hier stehen</translation>
    </message>
    <message>
        <source>one</source>
        <translation>eine</translation>
    </message>
    <message>
        <source>its kind by depth</source>
        <translation>diese Art über die Tiefe</translation>
    </message>
    <message>
        <source>by a setting</source>
        <translation>nach Einstellung</translation>
    </message>
    <message>
        <source>its kind by depth: small maps of this kind of layer, block by block. by a setting: maps of this matrix in runs that differ in a single setting. Click a map to open it</source>
        <translation>diese Art über die Tiefe: kleine Karten dieser Art von Schicht, Block für Block. nach Einstellung: diese Matrix in Läufen, die sich in einer einzigen Einstellung unterscheiden. Ein Klick öffnet eine</translation>
    </message>
    <message>
        <source>The setting in which the runs differ</source>
        <translation>Die Einstellung, in der sich die Läufe unterscheiden</translation>
    </message>
    <message>
        <source>&amp;First run</source>
        <translation>&amp;Erster Lauf</translation>
    </message>
    <message>
        <source>Mat&amp;rix</source>
        <translation>Matri&amp;x</translation>
    </message>
    <message>
        <source>Ma&amp;ps</source>
        <translation>&amp;Karten</translation>
    </message>
    <message>
        <source>&amp;most used atoms first</source>
        <translation>&amp;meistgenutzte Atome zuerst</translation>
    </message>
    <message>
        <source>Sorts the rows of the map by the number of columns that use the atom</source>
        <translation>Sortiert die Zeilen der Karte nach der Zahl der Spalten, die das Atom nutzen</translation>
    </message>
    <message>
        <source>Order of the columns</source>
        <translation>Reihenfolge der Spalten</translation>
    </message>
    <message>
        <source>in the layer&apos;s order</source>
        <translation>wie in der Schicht</translation>
    </message>
    <message>
        <source>by cluster</source>
        <translation>nach Cluster</translation>
    </message>
    <message>
        <source>by cluster: columns that use the same atoms are placed together (k-means on the mask), the largest cluster first</source>
        <translation>nach Cluster: Spalten, die dieselben Atome nutzen, stehen beieinander (k-Means auf der Maske), der größte Cluster zuerst</translation>
    </message>
    <message>
        <source>What the map shows</source>
        <translation>Was die Karte zeigt</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>magnitude</source>
        <translation>Betrag</translation>
    </message>
    <message>
        <source>mask and magnitude</source>
        <translation>Maske und Betrag</translation>
    </message>
    <message>
        <source>mask: which entries there are; magnitude: how large they are (coefficient × length of its atom). Both are shown side by side unless a second run is shown; then it is the mask</source>
        <translation>Maske: welche Einträge es gibt; Betrag: wie groß sie sind (Koeffizient × Länge des Atoms). Beide stehen nebeneinander, außer neben einem zweiten Lauf; dann ist es die Maske</translation>
    </message>
    <message>
        <source>Second run</source>
        <translation>Zweiter Lauf</translation>
    </message>
    <message>
        <source>The same matrix of another run: its atoms are matched to these by direction, and the differences are listed under Facts</source>
        <translation>Dieselbe Matrix eines anderen Laufs: seine Atome werden diesen nach Richtung zugeordnet, und was verschieden ist, steht unter Kennzahlen</translation>
    </message>
    <message>
        <source>&amp;Columns</source>
        <translation>Spal&amp;ten</translation>
    </message>
    <message>
        <source>Sho&amp;w</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>&amp;Second run</source>
        <translation>Z&amp;weiter Lauf</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>none: choose one to compare</source>
        <translation>keiner: einen zum Vergleichen wählen</translation>
    </message>
    <message>
        <source>run … %1</source>
        <translation>Lauf … %1</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PatternGrid</name>
    <message>
        <source>Small maps of the pattern</source>
        <translation>Kleine Karten des Musters</translation>
    </message>
    <message>
        <source>A single block has no depth</source>
        <translation>Ein Block allein hat keine Tiefe</translation>
    </message>
    <message>
        <source>Of %1 only %2 is finished in this run. A run of several blocks shows here how the pattern changes through the model.</source>
        <translation>Von %1 ist in diesem Lauf nur %2 fertig. Ein Lauf mit mehreren Blöcken zeigt hier, wie sich das Muster durch das Modell hindurch ändert.</translation>
    </message>
    <message>
        <source>No other run differs in just one setting</source>
        <translation>Kein anderer Lauf unterscheidet sich in nur einer Einstellung</translation>
    </message>
    <message>
        <source>This run is not stored yet</source>
        <translation>Dieser Lauf ist noch nicht gespeichert</translation>
    </message>
    <message>
        <source>Runs that differ in just one setting and have finished %1 are shown here side by side. A list under Sweep on the Plan page creates them, for example ρ 1.5 2 3.</source>
        <translation>Läufe, die bis auf eine Einstellung gleich sind und in denen %1 fertig ist, stehen hier nebeneinander. Eine Liste unter Sweep auf der Plan-Seite erzeugt sie, zum Beispiel ρ 1.5 2 3.</translation>
    </message>
    <message>
        <source>It can be compared with others when it has ended.</source>
        <translation>Er kann neben andere gestellt werden, wenn er beendet ist.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PatternMaps</name>
    <message>
        <source>Sparsity pattern</source>
        <translation>Besetzungsmuster</translation>
    </message>
    <message>
        <source>Second pattern</source>
        <translation>Zweites Muster</translation>
    </message>
    <message>
        <source>Difference between the patterns</source>
        <translation>Differenz beider Muster</translation>
    </message>
    <message>
        <source>magnitude |S(i, j)| × ‖D(i)‖, full from %1 on (three times its rms)</source>
        <translation>Betrag |S(i, j)| × ‖D(i)‖, voll ab %1 (dreimal ihr quadratisches Mittel)</translation>
    </message>
    <message>
        <source>mask, full where S(i, j) ≠ 0</source>
        <translation>Maske, voll, wo S(i, j) ≠ 0</translation>
    </message>
    <message>
        <source>first run</source>
        <translation>erster Lauf</translation>
    </message>
    <message>
        <source>second run</source>
        <translation>zweiter Lauf</translation>
    </message>
    <message>
        <source>columns that use the atom</source>
        <translation>Spalten, die das Atom nutzen</translation>
    </message>
    <message>
        <source>atoms that the column uses</source>
        <translation>Atome, die die Spalte nutzt</translation>
    </message>
    <message>
        <source>atoms of D (%1)</source>
        <translation>Atome von D (%1)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PatternPage</name>
    <message>
        <source>Sparsity pattern of S</source>
        <translation>Besetzungsmuster von S</translation>
    </message>
    <message>
        <source>Wheel: zoom. Drag: move. Arrow keys: from entry to entry. Bars: how many entries the rows and columns have</source>
        <translation>Mausrad: näher und weiter. Ziehen: ein anderer Teil. Pfeile: von Eintrag zu Eintrag. Balken: wie viele Einträge die Zeilen und Spalten haben</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Kennzahlen</translation>
    </message>
    <message>
        <source>Figures of the pattern appear here.</source>
        <translation>Kennzahlen des Musters erscheinen hier.</translation>
    </message>
    <message>
        <source>Dead atoms: used by no column. Usage entropy: 1 = all atoms equally used.</source>
        <translation>Tote Atome: von keiner Spalte genutzt. Nutzungsentropie: 1 = alle Atome gleich genutzt.</translation>
    </message>
    <message>
        <source>Facts of the pattern</source>
        <translation>Kennzahlen des Musters</translation>
    </message>
    <message>
        <source>Dictionary and codes</source>
        <translation>Wörterbuch und Codes</translation>
    </message>
    <message>
        <source>click, or arrows and Enter: opens a map · rows: atoms of D%1, columns: features%2, same entry size in every map</source>
        <translation>Klick, oder Pfeiltasten und Enter: öffnet eine Karte · Zeilen: Atome von D%1, Spalten: Merkmale%2, Einträge in jeder Karte gleich groß</translation>
    </message>
    <message>
        <source>, most used first</source>
        <translation>, nach Nutzung</translation>
    </message>
    <message>
        <source>, by cluster</source>
        <translation>, nach Cluster</translation>
    </message>
    <message>
        <source>No pattern yet</source>
        <translation>Noch kein Muster</translation>
    </message>
    <message>
        <source>A map here shows which atoms each column of a matrix uses, once CoSpaDi has finished its first matrix. Choose layers and press Run, or start small:</source>
        <translation>Welche Atome jede Spalte einer Matrix nutzt, wird hier als Karte stehen, sobald CoSpaDi seine erste Matrix fertig hat. Schichten wählen und Starten drücken, oder klein beginnen:</translation>
    </message>
    <message>
        <source>%1 · %2 atoms × %3 columns</source>
        <translation>%1 · %2 Atome × %3 Spalten</translation>
    </message>
    <message>
        <source>, the second run&apos;s next to those they match</source>
        <translation>, die des zweiten neben den zugeordneten</translation>
    </message>
    <message>
        <source>rows: atoms of D%1 ↓    columns: %2%3 →    click: an atom, with Shift a column</source>
        <translation>Zeilen: Atome von D%1 ↓    Spalten: %2%3 →    Klick: Atom, Umschalt: Spalte</translation>
    </message>
    <message>
        <source>input features</source>
        <translation>Eingangsmerkmale</translation>
    </message>
    <message>
        <source>output features</source>
        <translation>Ausgangsmerkmale</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PatternView</name>
    <message>
        <source>%1 rows by %2 columns; arrow keys move between entries, Return selects the row, with Shift the column</source>
        <translation>%1 Zeilen mal %2 Spalten; Pfeiltasten gehen von Eintrag zu Eintrag, Eingabe wählt die Zeile, mit Umschalt die Spalte</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PerplexityCard</name>
    <message>
        <source>Predicted perplexity by CR</source>
        <translation>Vorhergesagte Perplexität über CR</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>&lt;p style=&apos;font-size:large; color:%1&apos;&gt;The whole model under one slider&lt;/p&gt;&lt;p&gt;While you watch, every matrix is tried and the cost of its errors is measured: a first estimate in seconds, all of it in about three minutes, once for every method, ρ and storage.&lt;/p&gt;</source>
        <translation>&lt;p style=&apos;font-size:large; color:%1&apos;&gt;Das ganze Modell unter einem Schieber&lt;/p&gt;&lt;p&gt;Während man zusieht, wird jede Matrix versucht und gemessen, was ihre Fehler kosten: eine erste Schätzung in Sekunden, alles in etwa drei Minuten, einmal für jede Methode, jedes ρ und jede Speicherung.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>perplexity relative to the model&apos;s own</source>
        <translation>Perplexität, Vielfaches des Modells</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PlanCostCard</name>
    <message>
        <source>What it costs</source>
        <translation>Was es kostet</translation>
    </message>
    <message>
        <source>For the layer under the cursor in the tree:
k = atoms (columns of the dictionary D), s = non-zeros in each
column of the codes S, so that W ≈ D S</source>
        <translation>Für die Schicht unter dem Cursor im Baum:
k = Atome (Spalten des Wörterbuchs D), s = Nichtnulleinträge in jeder
Spalte der Codes S, so dass W ≈ D S</translation>
    </message>
    <message>
        <source>Bytes of the plan</source>
        <translation>Bytes des Plans</translation>
    </message>
    <message>
        <source>Counted from the solver&apos;s operations, at the rate of this machine&apos;s finished runs of
the same method where available. Memory: the model in float32 and the matrices being
compressed, one per core.</source>
        <translation>Aus den Operationen des Solvers gezählt, mit der Rate der fertigen Läufe dieser Maschine
mit derselben Methode, wo es welche gibt. Speicher: das Modell in float32 und die Matrizen
in Arbeit, eine je Kern.</translation>
    </message>
    <message>
        <source>more than the %1 that they take in the model&apos;s file (%2)</source>
        <translation>mehr als die %1, die sie in der Datei des Modells belegen (%2)</translation>
    </message>
    <message>
        <source>in the model&apos;s file they take %1 (%2)</source>
        <translation>in der Datei des Modells belegen sie %1 (%2)</translation>
    </message>
    <message>
        <source>about &lt;b&gt;%1&lt;/b&gt; on this machine, &lt;b&gt;%2&lt;/b&gt; of memory</source>
        <translation>etwa &lt;b&gt;%1&lt;/b&gt; auf dieser Maschine, &lt;b&gt;%2&lt;/b&gt; Speicher</translation>
    </message>
    <message>
        <source>plus about %1 of calibration, the first time with this text</source>
        <translation>dazu etwa %1 Kalibrierung, beim ersten Mal mit diesem Text</translation>
    </message>
    <message>
        <source>Choose &amp;layers</source>
        <translation>Schichten &amp;wählen</translation>
    </message>
    <message>
        <source>On the Model page</source>
        <translation>Auf der Seite Modell</translation>
    </message>
    <message>
        <source>%1 (%2 × %3)</source>
        <translation>%1 (%2 × %3)</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n layer(s) that it shares with (%2 × %3)</source>
        <translation>
            <numerusform>%1 und %n Schicht, mit der sie teilt (%2 × %3)</numerusform>
            <numerusform>%1 und %n Schichten, mit denen sie teilt (%2 × %3)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>&lt;b&gt;%1&lt;/b&gt; of %2 dense (bf16) in the %n selected layer(s)</source>
        <translation>
            <numerusform>&lt;b&gt;%1&lt;/b&gt; von %2 dicht (bf16) in der %n ausgewählten Schicht</numerusform>
            <numerusform>&lt;b&gt;%1&lt;/b&gt; von %2 dicht (bf16) in den %n ausgewählten Schichten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PlanForm</name>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>Fields of the plan</source>
        <translation>Felder des Plans</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>ρ = k/s</source>
        <translation>ρ = k/s</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicherung</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>Rundung</translation>
    </message>
    <message>
        <source>Dictionary</source>
        <translation>Wörterbuch</translation>
    </message>
    <message>
        <source>Propagation</source>
        <translation>Fortpflanzung</translation>
    </message>
    <message>
        <source>Ridge</source>
        <translation>Ridge</translation>
    </message>
    <message>
        <source>K-SVD</source>
        <translation>K-SVD</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>power steps</source>
        <translation>Potenzschritte</translation>
    </message>
    <message>
        <source>Stop at gains &lt;</source>
        <translation>Ende bei Gewinn &lt;</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Refinement</source>
        <translation>Verfeinerung</translation>
    </message>
    <message>
        <source>sequences, rate</source>
        <translation>Sequenzen, Rate</translation>
    </message>
    <message>
        <source>removes 00 %</source>
        <translation>spart 00 %</translation>
    </message>
    <message>
        <source>removes %1 %</source>
        <translation>spart %1 %</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PlanHelp</name>
    <message>
        <source>Point at a field, or focus it, to see what it means in the paper.</source>
        <translation>Auf ein Feld zeigen oder hineingehen, um zu sehen, was es im Paper bedeutet.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PlanPanel</name>
    <message>
        <source>Runs of this plan</source>
        <translation>Läufe dieses Plans</translation>
    </message>
    <message>
        <source>loading a plan</source>
        <translation>Übernahme eines Plans</translation>
    </message>
    <message>
        <source>the paper&apos;s settings</source>
        <translation>Einstellungen des Papers</translation>
    </message>
    <message>
        <source>effort %1</source>
        <translation>Aufwand %1</translation>
    </message>
    <message>
        <source>Select at least one layer on the Model page</source>
        <translation>Mindestens eine Schicht auf der Modell-Seite auswählen</translation>
    </message>
    <message>
        <source>one run; lists under Sweep make a grid</source>
        <translation>ein Lauf; Listen unter Sweep ergeben ein Gitter</translation>
    </message>
    <message>
        <source>%1 runs, one after another, about %2</source>
        <translation>%1 Läufe, einer nach dem anderen, etwa %2</translation>
    </message>
    <message>
        <source>The runs are listed here once the plan is valid.</source>
        <translation>Die Läufe stehen hier, sobald am Plan nichts mehr falsch ist.</translation>
    </message>
    <message>
        <source>sizes of the first run, time of all</source>
        <translation>Größen des ersten Laufs, Dauer aller</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PlannedRuns</name>
    <message>
        <source>The Plan page does not support all settings of this run: %1.</source>
        <translation>Die Plan-Seite kann nicht alle Einstellungen dieses Laufs aufnehmen: %1.</translation>
    </message>
    <message>
        <source>The command line accepts them all.</source>
        <translation>Die Kommandozeile nimmt sie, wie sie sind.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PortraitPanel</name>
    <message>
        <source>Calibrating: %1 of %2</source>
        <translation>Kalibrierung: %1 von %2</translation>
    </message>
    <message>
        <source> · about %1 left</source>
        <translation> · noch etwa %1</translation>
    </message>
    <message>
        <source>Not calibrated: %1</source>
        <translation>Nicht kalibriert: %1</translation>
    </message>
    <message>
        <source>Spectrum</source>
        <translation>Spektrum</translation>
    </message>
    <message>
        <source>Singular values of the matrix</source>
        <translation>Singulärwerte der Matrix</translation>
    </message>
    <message>
        <source>i</source>
        <translation>i</translation>
    </message>
    <message>
        <source>σᵢ / σ₁</source>
        <translation>σᵢ / σ₁</translation>
    </message>
    <message>
        <source>The singular values of the matrix under the cursor.</source>
        <translation>Die Singulärwerte der Matrix unter dem Cursor.</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Reads the calibration text of the plan with the model and keeps the Gram
matrices XᵀX of all layers, so that whitened spectra and errors can be shown.
Takes about a minute for the default model; runs use the result too.</source>
        <translation>Liest den Kalibrierungstext des Plans mit dem Modell und behält die Gram-
Matrizen XᵀX aller Schichten, damit geweißte Spektren und Fehler gezeigt werden können.
Dauert beim Standardmodell etwa eine Minute; Läufe nutzen das Ergebnis auch.</translation>
    </message>
    <message>
        <source>A spectrum that falls fast can be cut off (low rank); a flat one cannot, and
is where a sparse dictionary gains most. Whitened: of L W, with LᵀL = XᵀX
(paper, eq. 2–3), where every direction is weighted by how much the inputs use it.</source>
        <translation>Ein steil abfallendes Spektrum lässt sich abschneiden (Niedrigrang); ein flaches nicht, und
dort gewinnt ein dünn besetztes Wörterbuch am meisten. Geweißt: von L W, mit LᵀL = XᵀX
(Paper, Gl. 2–3), wo jede Richtung so viel zählt, wie die Eingaben sie nutzen.</translation>
    </message>
    <message>
        <source>Calibrating …</source>
        <translation>Kalibrierung …</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Histogram of the weights</source>
        <translation>Histogramm der Gewichte</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>How the weights of the matrix are distributed.</source>
        <translation>Wie die Gewichte der Matrix verteilt sind.</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>log. Skala</translation>
    </message>
    <message>
        <source>Logarithmic counts: shows the tails</source>
        <translation>Logarithmische Häufigkeiten: zeigt die Ränder</translation>
    </message>
    <message>
        <source>not calibrated yet: plain only</source>
        <translation>noch nicht kalibriert: nur einfach</translation>
    </message>
    <message>
        <source>All singular values of the matrix are 0.</source>
        <translation>Alle Singulärwerte der Matrix sind 0.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::PublishedBeside</name>
    <message>
        <source>Tables of the paper to compare with</source>
        <translation>Tabellen des Papers daneben</translation>
    </message>
    <message>
        <source>Table %1: %2</source>
        <translation>Tabelle %1: %2</translation>
    </message>
    <message>
        <source>none in the paper</source>
        <translation>das Paper druckt keine</translation>
    </message>
    <message>
        <source>tables of the paper …</source>
        <translation>Tabellen des Papers …</translation>
    </message>
    <message>
        <source>table %1 of the paper</source>
        <translation>Tabelle %1 des Papers</translation>
    </message>
    <message>
        <source>tables %1 of the paper</source>
        <translation>Tabellen %1 des Papers</translation>
    </message>
    <message>
        <source>Rows of the paper&apos;s tables below your own, with their source</source>
        <translation>Zeilen der Tabellen des Papers unter den eigenen, mit Quelle</translation>
    </message>
    <message>
        <source>The paper reports accuracies and perplexities of lm-eval&apos;s tasks: choose such a value, for example piqa/acc_norm (cospadi lm-eval measures them)</source>
        <translation>Das Paper druckt Genauigkeiten und Perplexitäten der Aufgaben von lm-eval: einen solchen Wert wählen, zum Beispiel piqa/acc_norm (cospadi lm-eval misst sie)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::QueueList</name>
    <message>
        <source>Runs in order</source>
        <translation>Läufe in Reihenfolge</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Moves the selected run up</source>
        <translation>Der gewählte Lauf rückt nach oben</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Moves the selected run down</source>
        <translation>Der gewählte Lauf rückt nach unten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Removes the selected run from the list</source>
        <translation>Nimmt den gewählten Lauf aus der Liste</translation>
    </message>
    <message>
        <source>Hold or resume</source>
        <translation>Anhalten oder weiter</translation>
    </message>
    <message>
        <source>Held: the next run does not start automatically</source>
        <translation>Angehalten: der nächste Lauf startet nicht von selbst</translation>
    </message>
    <message>
        <source>No runs are waiting. Lists under Sweep on the Plan page create many runs at once.</source>
        <translation>Nichts wartet. Listen unter Sweep auf der Plan-Seite ergeben viele Läufe auf einmal.</translation>
    </message>
    <message>
        <source>%1 waiting</source>
        <translation>%1 wartend</translation>
    </message>
    <message>
        <source>, about %1</source>
        <translation>, etwa %1</translation>
    </message>
    <message>
        <source> · held</source>
        <translation> · angehalten</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RatioMapCard</name>
    <message>
        <source>CR of every matrix, in percent</source>
        <translation>CR je Matrix (%)</translation>
    </message>
    <message>
        <source>P pinned, ≤ limited, × left out</source>
        <translation>P fest, ≤ begrenzt, × ausgelassen</translation>
    </message>
    <message>
        <source>CR of every matrix, by kind and block</source>
        <translation>CR je Matrix, nach Art und Block</translation>
    </message>
    <message>
        <source>The CR of every matrix appears here once the curves are measured.</source>
        <translation>Die CR jeder Matrix steht hier, sobald die Kurven gemessen sind.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ReportTableModel</name>
    <message>
        <source>The best of its group</source>
        <translation>Der beste seiner Gruppe</translation>
    </message>
    <message>
        <source>The second best of its group</source>
        <translation>Der zweitbeste seiner Gruppe</translation>
    </message>
    <message>
        <source>Double click or F2: rename it in this table</source>
        <translation>Doppelklick oder F2: in dieser Tabelle umbenennen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ReproduceDialog</name>
    <message>
        <source>Make from my runs</source>
        <translation>Aus eigenen Läufen erstellen</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Closes the dialog, which can be opened again; running work continues</source>
        <translation>Was im Gang ist, läuft weiter; der Dialog kann wieder geöffnet werden</translation>
    </message>
    <message>
        <source>a path, or the word default</source>
        <translation>ein Pfad, oder das Wort default</translation>
    </message>
    <message>
        <source>&amp;Size:</source>
        <translation>&amp;Umfang:</translation>
    </message>
    <message>
        <source>quick: few layers, short texts</source>
        <translation>schnell: wenige Schichten, kurze Texte</translation>
    </message>
    <message>
        <source>For the default model: checks the whole process and the direction of errors; its numbers do not characterise the model</source>
        <translation>Für das Standardmodell: zeigt, dass der ganze Weg funktioniert und wohin Fehler gehen; seine Zahlen sind keine Werte des Modells</translation>
    </message>
    <message>
        <source>overnight: all layers, the program&apos;s own solver</source>
        <translation>über Nacht: alle Schichten, der eigene Solver des Programms</translation>
    </message>
    <message>
        <source>For the default model: its numbers characterise the model, on 100 items per task; all labels together take a night on two cores</source>
        <translation>Für das Standardmodell: seine Zahlen sind die des Modells, von 100 Aufgaben je Test; alle zusammen brauchen auf zwei Kernen eine Nacht</translation>
    </message>
    <message>
        <source>full: the paper&apos;s settings</source>
        <translation>voll: die Einstellungen des Artikels</translation>
    </message>
    <message>
        <source>All layers with the paper&apos;s solver, whole texts, all items: hours per run on two cores</source>
        <translation>Alle Schichten mit dem Solver des Artikels, ganze Texte, alle Aufgaben: auf zwei Kernen Stunden je Lauf</translation>
    </message>
    <message>
        <source>&amp;Table or figure:</source>
        <translation>&amp;Tabelle oder Abbildung:</translation>
    </message>
    <message>
        <source>&amp;Model:</source>
        <translation>&amp;Modell:</translation>
    </message>
    <message>
        <source>The required runs</source>
        <translation>Die Läufe, die nötig sind</translation>
    </message>
    <message>
        <source>&amp;As a command:</source>
        <translation>&amp;Als Befehl:</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>Kommandozeile kopieren</translation>
    </message>
    <message>
        <source>Run %1%2: %3, %4 of %5</source>
        <translation>Lauf %1%2: %3, %4 von %5</translation>
    </message>
    <message>
        <source>Done.</source>
        <translation>Fertig.</translation>
    </message>
    <message numerus="yes">
        <source>Done, with %n gap(s): Start retries what is missing.</source>
        <translation>
            <numerusform>Fertig, mit %n Lücke: Starten versucht noch einmal, was fehlt.</numerusform>
            <numerusform>Fertig, mit %n Lücken: Starten versucht noch einmal, was fehlt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Stopped. Finished work is kept; Start continues with the rest.</source>
        <translation>Gestoppt. Was fertig ist, bleibt; Starten tut, was noch fehlt.</translation>
    </message>
    <message>
        <source>Measured for each run: %1.</source>
        <translation>Von jedem Lauf gemessen: %1.</translation>
    </message>
    <message>
        <source>Checking what is available …</source>
        <translation>Wird nachgesehen, was da ist …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Finished work is kept; the current run can be resumed later</source>
        <translation>Was fertig ist, bleibt; der laufende Lauf kann später weitergehen</translation>
    </message>
    <message>
        <source>Makes and measures what is missing, one run after another</source>
        <translation>Erstellt und misst, was fehlt, einen Lauf nach dem anderen</translation>
    </message>
    <message>
        <source>Stopping …</source>
        <translation>Wird gestoppt …</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>Wird gestartet …</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ReproductionLife</name>
    <message>
        <source>%1 was made from your runs.</source>
        <translation>%1 ist aus eigenen Läufen erstellt.</translation>
    </message>
    <message numerus="yes">
        <source>%1 was made, with %n gap(s).</source>
        <translation>
            <numerusform>%1 ist erstellt, mit %n Lücke.</numerusform>
            <numerusform>%1 ist erstellt, mit %n Lücken.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not made: %2</source>
        <translation>%1 wurde nicht erstellt: %2</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ReproductionPlanModel</name>
    <message>
        <source>It needs no runs.</source>
        <translation>Es sind keine Läufe nötig.</translation>
    </message>
    <message numerus="yes">
        <source>Nothing is missing: %n run(s), made and measured.</source>
        <translation>
            <numerusform>Nichts fehlt: %n Lauf, erstellt und gemessen.</numerusform>
            <numerusform>Nichts fehlt: %n Läufe, erstellt und gemessen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n run(s) missing. Left to do: %2 on disk, at most %3 of memory, about %4.</source>
        <translation>
            <numerusform>%1 von %n Lauf fehlt. Noch nötig: %2 auf der Platte, höchstens %3 Speicher, etwa %4.</numerusform>
            <numerusform>%1 von %n Läufen fehlen. Noch nötig: %2 auf der Platte, höchstens %3 Speicher, etwa %4.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n run(s) missing. Left to do: %2 on disk, at most %3 of memory, ~ %4. Nothing comparable has run here yet: ~ is based on an assumed computing rate.</source>
        <translation>
            <numerusform>%1 von %n Lauf fehlt. Noch nötig: %2 auf der Platte, höchstens %3 Speicher, ~ %4. Dergleichen lief hier noch nie: ~ beruht auf einer angenommenen Rechenrate.</numerusform>
            <numerusform>%1 von %n Läufen fehlen. Noch nötig: %2 auf der Platte, höchstens %3 Speicher, ~ %4. Dergleichen lief hier noch nie: ~ beruht auf einer angenommenen Rechenrate.</numerusform>
        </translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>to make</source>
        <translation>zu erstellen</translation>
    </message>
    <message>
        <source>to measure</source>
        <translation>zu messen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>Matrizen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Compress</source>
        <translation>Komprimieren</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message numerus="yes">
        <source>How long lm-eval takes for %n run(s) is not known in advance.</source>
        <translation>
            <numerusform>Wie lange lm-eval für %n Lauf braucht, ist vorher nicht bekannt.</numerusform>
            <numerusform>Wie lange lm-eval für %n Läufe braucht, ist vorher nicht bekannt.</numerusform>
        </translation>
    </message>
    <message>
        <source>to make again</source>
        <translation>neu zu erstellen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunActions</name>
    <message>
        <source>Compare errors</source>
        <translation>Ihre Fehler vergleichen</translation>
    </message>
    <message>
        <source>Measure perplexity</source>
        <translation>Perplexität messen</translation>
    </message>
    <message>
        <source>Copy ID</source>
        <translation>Seine Id kopieren</translation>
    </message>
    <message>
        <source>Copy IDs</source>
        <translation>Ihre Ids kopieren</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Seinen Befehl kopieren</translation>
    </message>
    <message>
        <source>Copy commands</source>
        <translation>Ihre Befehle kopieren</translation>
    </message>
    <message>
        <source>Colour…</source>
        <translation>Farbe…</translation>
    </message>
    <message>
        <source>Reset colour</source>
        <translation>Keine eigene Farbe</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Open in Monitor</source>
        <translation>Im Monitor öffnen</translation>
    </message>
    <message>
        <source>Show pattern</source>
        <translation>Sein Muster zeigen</translation>
    </message>
    <message>
        <source>Use as plan</source>
        <translation>Plan daraus</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Seinen Ordner öffnen</translation>
    </message>
    <message>
        <source>Unpin baseline</source>
        <translation>Nicht mehr Baseline</translation>
    </message>
    <message>
        <source>Pin as baseline</source>
        <translation>Als Baseline festlegen</translation>
    </message>
    <message>
        <source>Name…</source>
        <translation>Benennen…</translation>
    </message>
    <message>
        <source>Name the run</source>
        <translation>Den Lauf benennen</translation>
    </message>
    <message>
        <source>Its name in lists and legends; empty: what distinguishes it</source>
        <translation>Wie er in Listen und Legenden heißt; nichts: nach dem, was ihn unterscheidet</translation>
    </message>
    <message>
        <source>Delete runs</source>
        <translation>Läufe löschen</translation>
    </message>
    <message>
        <source>Delete %1 and its files?</source>
        <translation>%1 und seine Dateien löschen?</translation>
    </message>
    <message>
        <source>Delete %1 runs and their files?</source>
        <translation>%1 Läufe und ihre Dateien löschen?</translation>
    </message>
    <message>
        <source>This cannot be undone. Archive (under Mark) hides runs and keeps them.</source>
        <translation>Sie kommen nicht zurück. Archivieren (unter Markieren) blendet Läufe aus und behält sie.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunBar</name>
    <message>
        <source>Reading the model</source>
        <translation>Modell wird gelesen</translation>
    </message>
    <message>
        <source>Calibrating</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Measuring gradients</source>
        <translation>Gradienten werden gemessen</translation>
    </message>
    <message>
        <source>Allocating the bytes</source>
        <translation>Bytes werden verteilt</translation>
    </message>
    <message>
        <source>Measuring the cost of errors</source>
        <translation>Kosten der Fehler werden gemessen</translation>
    </message>
    <message>
        <source>Compressing</source>
        <translation>Kompression</translation>
    </message>
    <message>
        <source>Running the dense model</source>
        <translation>Dichtes Modell wird befragt</translation>
    </message>
    <message>
        <source>Refining the factors</source>
        <translation>Faktoren werden verfeinert</translation>
    </message>
    <message>
        <source>Measuring perplexity</source>
        <translation>Perplexität wird gemessen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>What pressing Run compresses and how long it will take: the ticked layers, in bf16 and compressed, and the time on this machine. Calibration is done once and kept for later runs with the same text. The Plan page has the details.</source>
        <translation>Was Starten komprimiert und wie lange es dauert: die angekreuzten Schichten, in bf16 und komprimiert, und die Zeit auf dieser Maschine. Die Kalibrierung wird einmal gelesen und für spätere Läufe mit demselben Text behalten. Die Plan-Seite sagt mehr.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Pause or resume</source>
        <translation>Anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Ends the run after its current iteration; finished matrices are kept and the run can be resumed</source>
        <translation>Beendet den Lauf nach seiner jetzigen Iteration; fertige Matrizen bleiben erhalten, und der Lauf kann fortgesetzt werden</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>Same as</source>
        <translation>Gleich</translation>
    </message>
    <message>
        <source>Equivalent command line</source>
        <translation>Gleichwertige Kommandozeile</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>Kommandozeile kopieren</translation>
    </message>
    <message>
        <source>Run %1 jobs</source>
        <translation>%1 Läufe starten</translation>
    </message>
    <message>
        <source>First of %1, as a command:</source>
        <translation>Der erste von %1, als Befehl:</translation>
    </message>
    <message>
        <source>As a command:</source>
        <translation>Als Befehl:</translation>
    </message>
    <message>
        <source>The same run without a window, for scripts, clusters and colleagues:
%1</source>
        <translation>Derselbe Lauf ohne Fenster, für Skripte, Cluster und Kollegen:
%1</translation>
    </message>
    <message>
        <source>Compress the selected layers as planned (Ctrl+Enter)</source>
        <translation>Die ausgewählten Schichten wie geplant komprimieren (Strg+Enter)</translation>
    </message>
    <message>
        <source>Queue the plan after the current run (Ctrl+Enter)</source>
        <translation>Den Plan hinter den laufenden Lauf stellen (Strg+Enter)</translation>
    </message>
    <message>
        <source>Starting the engine …</source>
        <translation>Engine wird gestartet …</translation>
    </message>
    <message>
        <source>Paused. Resume continues where it stopped.</source>
        <translation>Angehalten. Fortsetzen macht weiter, wo er stehen blieb.</translation>
    </message>
    <message>
        <source>Cancelling after the current iteration …</source>
        <translation>Wird nach der jetzigen Iteration abgebrochen …</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>A run outside this window cannot be paused; cancel it and resume it here</source>
        <translation>Ein Lauf außerhalb dieses Fensters kann nicht angehalten werden; ihn abbrechen und hier fortsetzen</translation>
    </message>
    <message>
        <source>Pauses the run after its current iteration; nothing is lost</source>
        <translation>Hält den Lauf nach seiner jetzigen Iteration an; nichts geht verloren</translation>
    </message>
    <message>
        <source>%1 of %2 matrices</source>
        <translation>%1 von %2 Matrizen</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>Bereit.</translation>
    </message>
    <message>
        <source>Finished: %1 in %2</source>
        <translation>Fertig: %1 in %2</translation>
    </message>
    <message>
        <source>Finished: nothing was left to do</source>
        <translation>Fertig: es war nichts mehr zu tun</translation>
    </message>
    <message>
        <source>Nothing was started; the message below says why.</source>
        <translation>Nichts wurde gestartet; die Meldung unten sagt, warum.</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>%1: %2 are kept; the run can be resumed</source>
        <translation>%1: %2 bleiben erhalten; der Lauf kann weitergehen</translation>
    </message>
    <message>
        <source>%1; the run can be resumed</source>
        <translation>%1; der Lauf kann weitergehen</translation>
    </message>
    <message>
        <source>ending after its current iteration …</source>
        <translation>endet nach der jetzigen Iteration …</translation>
    </message>
    <message>
        <source>no matrix has started yet</source>
        <translation>noch hat keine Matrix begonnen</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>Wird gestartet …</translation>
    </message>
    <message>
        <source>  %1 of %2</source>
        <translation>  %1 von %2</translation>
    </message>
    <message>
        <source>Outside this window: %1</source>
        <translation>Außerhalb dieses Fensters: %1</translation>
    </message>
    <message>
        <source>  ·  about %1 left</source>
        <translation>  ·  noch etwa %1</translation>
    </message>
    <message>
        <source>  ·  %1 more waiting</source>
        <translation>  ·  %1 weitere wartend</translation>
    </message>
    <message>
        <source>  ·  %1 more waiting, about %2</source>
        <translation>  ·  %1 weitere wartend, etwa %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunButtons</name>
    <message>
        <source>Measure perplexity</source>
        <translation>Perplexität messen</translation>
    </message>
    <message>
        <source>WikiText-2 perplexity of the selected runs: how much the whole model degrades (lower is better). A few minutes each.</source>
        <translation>WikiText-2-Perplexität der ausgewählten Läufe: wie sehr das ganze Modell leidet (kleiner ist besser). Je einige Minuten.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume the selected run from its last finished matrix</source>
        <translation>Den ausgewählten Lauf ab seiner letzten fertigen Matrix fortsetzen</translation>
    </message>
    <message>
        <source>Read the runs directory again (F5)</source>
        <translation>Das Verzeichnis der Läufe neu lesen (F5)</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Use as plan</source>
        <translation>Plan daraus</translation>
    </message>
    <message>
        <source>Copies the selected run&apos;s method, settings and layers to the plan</source>
        <translation>Setzt Methode, Werte und Schichten des ausgewählten Laufs in den Plan</translation>
    </message>
    <message>
        <source>Export table</source>
        <translation>Tabelle exportieren</translation>
    </message>
    <message>
        <source>Selected rows, or all listed ones, as shown here; the Tables page makes one for a paper</source>
        <translation>Ausgewählte Zeilen, oder alle gezeigten, wie sie hier stehen; Tabellen macht eine für ein Paper</translation>
    </message>
    <message>
        <source>LaTeX (booktabs)…</source>
        <translation>LaTeX (booktabs)…</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Markdown…</source>
        <translation>Markdown…</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>All actions for the selected runs, as on a right click</source>
        <translation>Alles, was mit den gewählten Läufen getan werden kann; wie ein Rechtsklick auf sie</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunController</name>
    <message>
        <source>its process is gone</source>
        <translation>der Prozess dazu ist nicht mehr da</translation>
    </message>
    <message>
        <source>engine: %1</source>
        <translation>Engine: %1</translation>
    </message>
    <message>
        <source>skipped a line from the engine (%1): %2</source>
        <translation>eine Zeile der Engine übergangen (%1): %2</translation>
    </message>
    <message>
        <source>The run cannot be cancelled from here</source>
        <translation>Der Lauf kann von hier nicht abgebrochen werden</translation>
    </message>
    <message>
        <source>its process belongs to another machine or user; end it there</source>
        <translation>sein Prozess gehört einer anderen Maschine oder einem anderen Benutzer; dort beenden</translation>
    </message>
    <message>
        <source>the engine is gone; the run can be resumed from its last matrix</source>
        <translation>die Engine ist fort; der Lauf kann ab seiner letzten Matrix fortgesetzt werden</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunFilterCard</name>
    <message>
        <source>Runs to include</source>
        <translation>Welche Läufe</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Only runs of this method</source>
        <translation>Nur Läufe dieser Methode</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>any, or 0.2 0.3</source>
        <translation>beliebig, oder 0.2 0.3</translation>
    </message>
    <message>
        <source>ρ</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>any, or 1.5 2</source>
        <translation>beliebig, oder 1.5 2</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Only runs of this model</source>
        <translation>Nur Läufe dieses Modells</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Only runs of these layers</source>
        <translation>Nur Läufe dieser Schichten</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Only runs with this tag</source>
        <translation>Nur Läufe mit diesem Schlagwort</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>in name, tag or note</source>
        <translation>Name, Schlagwort, Notiz</translation>
    </message>
    <message>
        <source>only starred</source>
        <translation>nur mit Stern</translation>
    </message>
    <message>
        <source>include archived</source>
        <translation>auch archivierte</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunLife</name>
    <message>
        <source>Resume the run</source>
        <translation>Den Lauf fortsetzen</translation>
    </message>
    <message>
        <source>The run was interrupted.</source>
        <translation>Der Lauf wurde unterbrochen.</translation>
    </message>
    <message>
        <source>The engine is running again; finished matrices are kept.</source>
        <translation>Die Engine arbeitet wieder; fertige Matrizen bleiben erhalten.</translation>
    </message>
    <message>
        <source>earlier matrices are kept</source>
        <translation>frühere Matrizen bleiben erhalten</translation>
    </message>
    <message>
        <source>The run was %1.</source>
        <translation>Der Lauf ist zu Ende: %1.</translation>
    </message>
    <message>
        <source>Its finished matrices are kept.</source>
        <translation>Seine fertigen Matrizen bleiben erhalten.</translation>
    </message>
    <message>
        <source>They are listed under Runs.</source>
        <translation>Sie stehen unter Läufe.</translation>
    </message>
    <message>
        <source>It is listed under Runs, its patterns under Pattern.</source>
        <translation>Er steht unter Läufe, seine Muster unter Muster.</translation>
    </message>
    <message>
        <source>It is listed under Runs.</source>
        <translation>Er steht unter Läufe.</translation>
    </message>
    <message>
        <source>The run is finished.</source>
        <translation>Der Lauf ist fertig.</translation>
    </message>
    <message numerus="yes">
        <source>All %n run(s) (is|are) finished.</source>
        <translation>
            <numerusform>%n Lauf ist fertig.</numerusform>
            <numerusform>Alle %n Läufe sind fertig.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n run(s) (is|are) finished.</source>
        <translation>
            <numerusform>%n Lauf von %1 ist fertig.</numerusform>
            <numerusform>%n Läufe von %1 sind fertig.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 Note: %2.</source>
        <translation>%1 Hinweis: %2.</translation>
    </message>
    <message>
        <source>Show in Runs</source>
        <translation>Unter Läufe zeigen</translation>
    </message>
    <message>
        <source>There is no data for %1</source>
        <translation>Es gibt keine Daten zu %1</translation>
    </message>
    <message>
        <source>fetch it on the Evaluate page, or set a folder there that contains it</source>
        <translation>auf der Seite Auswerten holen, oder dort einen Ordner angeben, der sie enthält</translation>
    </message>
    <message>
        <source>Another run is in progress; resume this one when it has ended.</source>
        <translation>Ein anderer Lauf ist im Gang; diesen danach fortsetzen.</translation>
    </message>
    <message>
        <source>the run was written by another version</source>
        <translation>der Lauf wurde von einer anderen Version geschrieben</translation>
    </message>
    <message>
        <source>%1 is running outside this window.</source>
        <translation>%1 läuft außerhalb dieses Fensters weiter.</translation>
    </message>
    <message numerus="yes">
        <source>%n matri(x|ces) (is|are) finished so far.</source>
        <translation>
            <numerusform>%n Matrix ist bisher fertig.</numerusform>
            <numerusform>%n Matrizen sind bisher fertig.</numerusform>
        </translation>
    </message>
    <message>
        <source>Watch it</source>
        <translation>Beobachten</translation>
    </message>
    <message numerus="yes">
        <source>%1 was interrupted after %n matri(x|ces).</source>
        <translation>
            <numerusform>%1 wurde nach %n Matrix unterbrochen.</numerusform>
            <numerusform>%1 wurde nach %n Matrizen unterbrochen.</numerusform>
        </translation>
    </message>
    <message>
        <source>It can be resumed from there.</source>
        <translation>Er kann von dort weitergehen.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) (was|were) still waiting when the window was closed.</source>
        <translation>
            <numerusform>%n Lauf wartete noch, als das Fenster geschlossen wurde.</numerusform>
            <numerusform>%n Läufe warteten noch, als das Fenster geschlossen wurde.</numerusform>
        </translation>
    </message>
    <message>
        <source>Start them</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Forget them</source>
        <translation>Vergessen</translation>
    </message>
    <message numerus="yes">
        <source>%n matri(x|ces) (takes|take) %1 instead of %2 in bf16: %3 less. (Its error is %4|Their error is %4 on average): the relative error of a matrix&apos;s output on the calibration text, which is what “whitened” means. Next: tick more layers, or list several CR or ρ under Sweep to compare them.</source>
        <translation>
            <numerusform>%n Matrix braucht %1 statt %2 in bf16: %3 weniger. Ihr Fehler ist %4: um diesen Anteil ihrer Größe weicht die Ausgabe einer Matrix auf dem Kalibrierungstext ab; das bedeutet „geweißt“. Als Nächstes: mehr Schichten ankreuzen, oder unter Sweep mehrere CR oder ρ angeben, um sie zu vergleichen.</numerusform>
            <numerusform>%n Matrizen brauchen %1 statt %2 in bf16: %3 weniger. Ihr Fehler ist im Mittel %4: um diesen Anteil ihrer Größe weicht die Ausgabe einer Matrix auf dem Kalibrierungstext ab; das bedeutet „geweißt“. Als Nächstes: mehr Schichten ankreuzen, oder unter Sweep mehrere CR oder ρ angeben, um sie zu vergleichen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Start %n waiting run(s)</source>
        <translation>
            <numerusform>Mit dem wartenden weitermachen (%n)</numerusform>
            <numerusform>Mit den wartenden weitermachen (%n)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunMarkButton</name>
    <message>
        <source>Mark</source>
        <translation>Markieren</translation>
    </message>
    <message>
        <source>Star, archive, tag or note for the selected runs</source>
        <translation>Stern, Archiv, Schlagwort oder Notiz für die ausgewählten Läufe</translation>
    </message>
    <message>
        <source>Remove star</source>
        <translation>Stern wegnehmen</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>Restore from archive</source>
        <translation>Aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Add a tag…</source>
        <translation>Schlagwort hinzufügen…</translation>
    </message>
    <message>
        <source>Add a tag</source>
        <translation>Ein Schlagwort hinzufügen</translation>
    </message>
    <message>
        <source>Number of runs: %1</source>
        <translation>Läufe, für die es gilt: %1</translation>
    </message>
    <message>
        <source>Write a note…</source>
        <translation>Notiz schreiben…</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>Eine Notiz schreiben</translation>
    </message>
    <message>
        <source>Select one or more runs first</source>
        <translation>Zuerst einen oder mehrere Läufe auswählen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunMeasures</name>
    <message>
        <source>Measuring perplexity: %1 of %2 tokens</source>
        <translation>Perplexität wird gemessen: %1 von %2 Tokens</translation>
    </message>
    <message>
        <source>%1, run %2 of %3</source>
        <translation>%1, Lauf %2 von %3</translation>
    </message>
    <message>
        <source>The perplexity of %1 was not measured: %2</source>
        <translation>Die Perplexität von %1 wurde nicht gemessen: %2</translation>
    </message>
    <message>
        <source>Perplexity %1 on WikiText-2</source>
        <translation>Perplexität %1 auf WikiText-2</translation>
    </message>
    <message>
        <source>Perplexity on WikiText-2 measured for %1 runs</source>
        <translation>Perplexität auf WikiText-2 von %1 Läufen gemessen</translation>
    </message>
    <message>
        <source>Recorded with the run.</source>
        <translation>Beim Lauf gespeichert.</translation>
    </message>
    <message>
        <source>Recorded with the runs.</source>
        <translation>Bei den Läufen gespeichert.</translation>
    </message>
    <message>
        <source>Measuring the perplexity of %1 …</source>
        <translation>Perplexität von %1 wird gemessen …</translation>
    </message>
    <message>
        <source>Measuring the perplexity of %1 runs …</source>
        <translation>Perplexität von %1 Läufen wird gemessen …</translation>
    </message>
    <message>
        <source>On the text it was predicted for, in windows of %1. It appears as a point on the Whole page.</source>
        <translation>Auf dem Text, für den sie vorhergesagt wurde, in Fenstern von %1. Sie erscheint als Punkt auf der Seite „Gesamt“.</translation>
    </message>
    <message>
        <source>WikiText-2, %1 tokens in windows of %2. It appears in the table.</source>
        <translation>WikiText-2, %1 Tokens in Fenstern von %2. Sie erscheint in der Tabelle.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Evaluating %1: %2</source>
        <translation>%1 wird befragt: %2</translation>
    </message>
    <message>
        <source>The Evaluate page shows the progress.</source>
        <translation>Die Seite Auswerten zeigt, wie weit es ist.</translation>
    </message>
    <message numerus="yes">
        <source>%n task evaluation(s) (was|were) still waiting when the window was closed.</source>
        <translation>
            <numerusform>%n Auswertung von Tasks wartete noch, als das Fenster geschlossen wurde.</numerusform>
            <numerusform>%n Auswertungen von Tasks warteten noch, als das Fenster geschlossen wurde.</numerusform>
        </translation>
    </message>
    <message>
        <source>The Evaluate page lists them.</source>
        <translation>Die Seite Auswerten zeigt sie.</translation>
    </message>
    <message>
        <source>Start them</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Forget them</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>The perplexity of %1 is missing from the stored runs: %2</source>
        <translation>Die Perplexität von %1 steht nicht bei den gespeicherten Läufen: %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsColumns</name>
    <message>
        <source>Settings and results</source>
        <translation>Einstellungen und Ergebnisse</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>Default columns</source>
        <translation>Die üblichen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsComparison</name>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Comparison of the selected runs</source>
        <translation>Vergleich der ausgewählten Läufe</translation>
    </message>
    <message>
        <source>Reading the selected runs …</source>
        <translation>Die ausgewählten Läufe werden gelesen …</translation>
    </message>
    <message>
        <source>Select one or more runs above (Ctrl+click) to compare them here.</source>
        <translation>Oben einen oder mehrere Läufe auswählen (Strg+Klick), um sie hier zu vergleichen.</translation>
    </message>
    <message>
        <source>the first %1 of %2 selected runs</source>
        <translation>die ersten %1 von %2 ausgewählten Läufen</translation>
    </message>
    <message>
        <source>No runs are stored yet</source>
        <translation>Noch sind keine Läufe gespeichert</translation>
    </message>
    <message>
        <source>Every run is kept and listed above; selected ones are compared here.</source>
        <translation>Jeder Lauf wird behalten und steht oben; die gewählten werden hier verglichen.</translation>
    </message>
    <message>
        <source>The selected runs cannot be read.</source>
        <translation>Die gewählten Läufe sind nicht lesbar.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsGrouping</name>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsList</name>
    <message>
        <source>Stored runs</source>
        <translation>Gespeicherte Läufe</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Group by</source>
        <translation>Gruppieren nach</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Show archived runs</source>
        <translation>Auch archivierte Läufe</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>, %1 archived</source>
        <translation>, %1 archiviert</translation>
    </message>
    <message>
        <source>, %1 skipped</source>
        <translation>, %1 übergangen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsPage</name>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>the other runs are listed; delete or repair the one named</source>
        <translation>die anderen Läufe sind aufgelistet; das Genannte löschen oder in Ordnung bringen</translation>
    </message>
    <message>
        <source>Export the table</source>
        <translation>Tabelle exportieren</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsTableModel</name>
    <message>
        <source>(baseline)</source>
        <translation>(Baseline)</translation>
    </message>
    <message>
        <source>starred</source>
        <translation>mit Stern</translation>
    </message>
    <message>
        <source>not starred</source>
        <translation>ohne Stern</translation>
    </message>
    <message>
        <source>%1, as measured by lm-eval</source>
        <translation>%1, wie lm-eval es gemessen hat</translation>
    </message>
    <message>
        <source>The sweep that the run belongs to</source>
        <translation>Der Sweep, zu dem der Lauf gehört</translation>
    </message>
    <message>
        <source>The run&apos;s setting %1</source>
        <translation>Die Einstellung %1 des Laufs</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsToolbar</name>
    <message>
        <source>Filter: rho&gt;=2 cr=0.2 method:ksvd tag:paper ffn_up</source>
        <translation>Filter: rho&gt;=2 cr=0.2 method:ksvd tag:paper ffn_up</translation>
    </message>
    <message>
        <source>Words in a row, and terms FIELD=VALUE[,VALUE], != &lt; &lt;= &gt; &gt;=, FIELD:PART, all of which must match; put anything with spaces in quotation marks. Fields are settings and results: error&lt;0.1, perplexity&lt;40, bytes&gt;1e6, date&gt;2026-11-20</source>
        <translation>Wörter einer Zeile und Bedingungen FELD=WERT[,WERT], != &lt; &lt;= &gt; &gt;=, FELD:TEIL, die alle gelten müssen; was Leerzeichen hat, steht in Anführungszeichen. Felder sind Einstellungen und Ergebnisse: error&lt;0.1, perplexity&lt;40, bytes&gt;1e6, date&gt;2026-11-20</translation>
    </message>
    <message>
        <source>Filter the runs</source>
        <translation>Läufe filtern</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Columns, groups, archived runs</source>
        <translation>Spalten, Gruppen, archivierte Läufe</translation>
    </message>
    <message>
        <source>Only differences</source>
        <translation>Nur was verschieden ist</translation>
    </message>
    <message>
        <source>Shows only the columns in which the selected runs differ (all listed runs if fewer than two are selected), including every setting</source>
        <translation>Zeigt nur die Spalten, in denen sich die ausgewählten Läufe unterscheiden (alle gezeigten, wo weniger als zwei ausgewählt sind), darunter jede Einstellung</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::RunsTree</name>
    <message>
        <source>Stored runs</source>
        <translation>Gespeicherte Läufe</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SampleBrowser</name>
    <message>
        <source>Item by item</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Tasks whose items are recorded</source>
        <translation>Aufgaben, deren Beispiele gespeichert sind</translation>
    </message>
    <message>
        <source>First model</source>
        <translation>Erstes Modell</translation>
    </message>
    <message>
        <source>The model whose answers are shown</source>
        <translation>Wessen Antworten gezeigt werden</translation>
    </message>
    <message>
        <source>Second model</source>
        <translation>Zweites Modell</translation>
    </message>
    <message>
        <source>Another model&apos;s answers to the same items, for example compressed</source>
        <translation>Die Antworten eines anderen Modells auf dieselben Beispiele, zum Beispiel komprimiert</translation>
    </message>
    <message>
        <source>Items that are shown</source>
        <translation>Gezeigte Beispiele</translation>
    </message>
    <message>
        <source>All items, or what changed</source>
        <translation>Alle Beispiele, oder was sich geändert hat</translation>
    </message>
    <message>
        <source>all items</source>
        <translation>alle Beispiele</translation>
    </message>
    <message>
        <source>flipped items</source>
        <translation>was gekippt ist</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>gained</source>
        <translation>gewonnen</translation>
    </message>
    <message>
        <source>wrong in both</source>
        <translation>in beiden falsch</translation>
    </message>
    <message>
        <source>Items of the task</source>
        <translation>Beispiele der Aufgabe</translation>
    </message>
    <message>
        <source>Prompt, choices and scores of the item</source>
        <translation>Prompt, Auswahl und Punkte des Beispiels</translation>
    </message>
    <message>
        <source>Evaluate a task, or choose one above: every item&apos;s prompt, choices and scores are shown here.</source>
        <translation>Eine Aufgabe auswerten, oder oben eine wählen: Prompt, Auswahl und Punkte jedes Beispiels stehen hier.</translation>
    </message>
    <message>
        <source>(no second model)</source>
        <translation>(kein zweites)</translation>
    </message>
    <message>
        <source>%1, items: %2</source>
        <translation>%1, Beispiele: %2</translation>
    </message>
    <message>
        <source>These two evaluations differ in their questions: another version of the task, other examples or other data. Evaluate both the same way to compare them.</source>
        <translation>Diesen beiden wurden verschiedene Fragen gestellt: eine andere Version der Aufgabe, andere Beispiele im Prompt oder andere Daten. Beide gleich auswerten, um sie zu vergleichen.</translation>
    </message>
    <message>
        <source>The items of this evaluation were not kept: only its means are available.</source>
        <translation>Die Beispiele dieser Auswertung wurden nicht aufbewahrt: nur ihre Mittelwerte sind da.</translation>
    </message>
    <message>
        <source>The evaluated items are listed here, if they were recorded and the filter above leaves any.</source>
        <translation>Die gestellten Beispiele stehen hier, soweit sie aufgezeichnet sind und die Auswahl oben welche lässt.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SampleTableModel</name>
    <message>
        <source>%1 of %2 items right</source>
        <translation>%1 von %2 Beispielen richtig</translation>
    </message>
    <message>
        <source>items: %1 lost, %2 gained, %3 right in both, %4 wrong in both</source>
        <translation>Beispiele: %1 verloren, %2 gewonnen, %3 in beiden richtig, %4 in beiden falsch</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>gained</source>
        <translation>gewonnen</translation>
    </message>
    <message>
        <source>other choice</source>
        <translation>andere Wahl</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>First</source>
        <translation>Erstes</translation>
    </message>
    <message>
        <source>Second</source>
        <translation>Zweites</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SavedViewsMenu</name>
    <message>
        <source>Saved views</source>
        <translation>Gespeicherte Ansichten</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Save this view…</source>
        <translation>Diese Ansicht speichern…</translation>
    </message>
    <message>
        <source>Save this view</source>
        <translation>Diese Ansicht speichern</translation>
    </message>
    <message>
        <source>Name for this filter, columns, groups and chart</source>
        <translation>Filter, Spalten, Gruppen und Diagramm unter dem Namen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SettingWords</name>
    <message>
        <source>Solver</source>
        <translation>Solver</translation>
    </message>
    <message>
        <source>Solver (Algorithm 1)</source>
        <translation>Solver (Algorithmus 1)</translation>
    </message>
    <message>
        <source>K-SVD: orthogonal matching pursuit and K-SVD in turn, the paper&apos;s algorithm; minutes per matrix. fast: thresholding and least squares in turn; seconds per matrix, and a lower error.</source>
        <translation>K-SVD: Orthogonal Matching Pursuit und K-SVD im Wechsel, der Algorithmus des Papers; Minuten je Matrix. fast: Schwellwerte und kleinste Quadrate im Wechsel; Sekunden je Matrix und ein kleinerer Fehler.</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>fast</translation>
    </message>
    <message>
        <source>Thresholding and least squares: seconds per matrix, lower error</source>
        <translation>Schwellwerte und kleinste Quadrate: Sekunden je Matrix, kleinerer Fehler</translation>
    </message>
    <message>
        <source>K-SVD</source>
        <translation>K-SVD</translation>
    </message>
    <message>
        <source>OMP and K-SVD, Algorithm 1: the slow reference, minutes per matrix</source>
        <translation>OMP und K-SVD, Algorithmus 1: die langsame Referenz, Minuten je Matrix</translation>
    </message>
    <message>
        <source>Compression ratio</source>
        <translation>Kompressionsrate</translation>
    </message>
    <message>
        <source>CR, γ (eq. 9)</source>
        <translation>CR, γ (Gl. 9)</translation>
    </message>
    <message>
        <source>The fraction of storage that is removed: 0.20 leaves 80 % of the bytes of the selected layers, including the mask of S.</source>
        <translation>Der Anteil des Speichers, der wegfällt: 0.20 lässt 80 % der Bytes der ausgewählten Schichten, die Maske von S mitgezählt.</translation>
    </message>
    <message>
        <source>ρ</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>ρ = k/s (§3.4)</source>
        <translation>ρ = k/s (§3.4)</translation>
    </message>
    <message>
        <source>Atoms in the dictionary per non-zero of a column. Greater ρ: more atoms and sparser codes for the same bytes. The paper uses 2; the Explore page shows what is best for a matrix.</source>
        <translation>Atome im Wörterbuch je Nichtnulleintrag einer Spalte. Größeres ρ: mehr Atome und dünner besetzte Codes bei gleichen Bytes. Das Paper nimmt 2; die Seite Erkunden zeigt, was für eine Matrix am besten ist.</translation>
    </message>
    <message>
        <source>Choice of ρ</source>
        <translation>Wessen ρ</translation>
    </message>
    <message>
        <source>One ρ for all matrices, or one per matrix: of %1, the one with the lowest error in a trial, within the bytes of the matrix.</source>
        <translation>Ein ρ für alle Matrizen, oder jeder das ihre: von %1 dasjenige, das im Versuch den kleinsten Fehler lässt, in den Bytes, die die Matrix hat.</translation>
    </message>
    <message>
        <source>for all</source>
        <translation>für alle</translation>
    </message>
    <message>
        <source>The ρ of the slider</source>
        <translation>Das ρ des Schiebers</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Tried matrix by matrix before the run; not in the paper</source>
        <translation>Vor dem Lauf Matrix für Matrix versucht; nicht im Paper</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicherung</translation>
    </message>
    <message>
        <source>Storage (eq. 10, eq. 11)</source>
        <translation>Speicherung (Gl. 10, Gl. 11)</translation>
    </message>
    <message>
        <source>How k and s follow from CR and ρ, by an equation of the paper or beyond it. eq 10: bf16 values and one bit per mask entry. eq 11: values shortened by ⌈ρ⌉ bits pay for the mask, which leaves more atoms. packed, not in the paper: values of 8 or 9 bits, and as many atoms as then fit: a far smaller error for the same bytes on disk, more work to multiply. packed8: the dictionary, too, in eight bits per entry: the smallest error, and the most atoms. integers: both in 2 to 8 bits with a 16-bit scale for every 64 entries, fitted to each other as they are stored. Low rank likewise: bf16 factors, or with packed a short right factor, with packed8 a left one in eight bits, and the largest rank that then fits. remapped, for low rank only: both factors in eight bits per entry, except for the part by which the longer one exceeds the shorter, as in Dobi-SVD.</source>
        <translation>Wie k und s aus CR und ρ folgen, nach einer Gleichung des Papers oder darüber hinaus. Gl. 10: bf16-Werte und ein Bit je Maskeneintrag. Gl. 11: um ⌈ρ⌉ Bit gekürzte Werte bezahlen die Maske, was mehr Atome lässt. packed, nicht im Paper: Werte von 8 oder 9 Bit, und so viele Atome, wie dann passen: ein weit kleinerer Fehler bei gleichen Bytes auf der Platte, mehr Arbeit beim Multiplizieren. packed8: auch das Wörterbuch, in acht Bit je Eintrag: der kleinste Fehler und die meisten Atome. integers: beide in 2 bis 8 Bit mit einer 16-Bit-Skala je 64 Einträge, aneinander angepasst, wie sie gespeichert werden. Niedrigrang ebenso: bf16-Faktoren, oder mit packed ein kurzer rechter Faktor, mit packed8 ein linker in acht Bit, und der größte Rang, der dann passt. remapped, nur für Niedrigrang: beide Faktoren in acht Bit je Eintrag, bis auf das, was der längere über die Länge des kürzeren hinaus hat, wie Dobi-SVD.</translation>
    </message>
    <message>
        <source>Coefficients lose ⌈ρ⌉ bits, which pay for the mask (paper, eq. 11)</source>
        <translation>Koeffizienten verlieren ⌈ρ⌉ Bit, die die Maske bezahlen (Paper, Gl. 11)</translation>
    </message>
    <message>
        <source>Coefficients keep 16 bits; the mask costs one bit per entry (paper, eq. 10)</source>
        <translation>Koeffizienten behalten 16 Bit; die Maske kostet ein Bit je Eintrag (Paper, Gl. 10)</translation>
    </message>
    <message>
        <source>Coefficients of 9 bits (8 from CR 0.25 on); the bytes they save buy atoms</source>
        <translation>Koeffizienten von 9 Bit (8 ab CR 0.25); die gesparten Bytes kaufen Atome</translation>
    </message>
    <message>
        <source>As packed, and the dictionary in eight bits per entry</source>
        <translation>Wie packed, und das Wörterbuch in acht Bit je Eintrag</translation>
    </message>
    <message>
        <source>Both factors in 2 to 8 bits, including scales, each fitted to the other as stored</source>
        <translation>Beide Faktoren in 2 bis 8 Bit, Skalen mitgezählt, jeder an den anderen angepasst, wie er gespeichert wird</translation>
    </message>
    <message>
        <source>Low rank only: two 8-bit entries in the space of a 16-bit one (Dobi-SVD)</source>
        <translation>Nur Niedrigrang: zwei 8-Bit-Einträge im Platz von einem mit 16 (Dobi-SVD)</translation>
    </message>
    <message>
        <source>Bits of a coefficient</source>
        <translation>Bits eines Koeffizienten</translation>
    </message>
    <message>
        <source>Bits of a coefficient (§3.4)</source>
        <translation>Bits eines Koeffizienten (§3.4)</translation>
    </message>
    <message>
        <source>How many of bf16&apos;s 16 bits a stored value of S, or of a packed right factor, keeps. auto: what the storage rule implies (16; 16 − ⌈ρ⌉; packed 9 or 8; packed8 10 to 8; integers the best in a trial). Fewer bits buy atoms or rank when packed; otherwise they save bytes beyond the plan. Integers take 2 to 8, all others 8 to 16.</source>
        <translation>Was ein gespeicherter Wert von S, oder eines gepackten rechten Faktors, von den 16 Bit von bf16 behält. auto: was die Speicherregel verlangt (16; 16 − ⌈ρ⌉; packed 9 oder 8; packed8 10 bis 8; integers das im Versuch Beste). Weniger Bits kaufen Atome oder Rang, wenn gepackt, sonst sparen sie Bytes über den Plan hinaus. integers nimmt 2 bis 8, alles andere 8 bis 16.</translation>
    </message>
    <message>
        <source> bits</source>
        <translation> Bit</translation>
    </message>
    <message>
        <source>Bits of the dictionary</source>
        <translation>Bits des Wörterbuchs</translation>
    </message>
    <message>
        <source>For integers: the bits per entry of the dictionary or left factor. auto: the best in a trial, matrix by matrix.</source>
        <translation>Bei integers: was ein Eintrag des Wörterbuchs, oder des linken Faktors, hat. auto: das im Versuch Beste, Matrix für Matrix.</translation>
    </message>
    <message>
        <source>Format of a coefficient</source>
        <translation>Format eines Koeffizienten</translation>
    </message>
    <message>
        <source>Format of a coefficient (§4.2.1)</source>
        <translation>Format eines Koeffizienten (§4.2.1)</translation>
    </message>
    <message>
        <source>What a coefficient of fewer than 16 bits gives up. mantissa: bf16&apos;s lowest bits, as in the paper. exponent: a power of two common to an atom&apos;s codes is moved into the atom, and fewer exponent bits suffice for the rest.</source>
        <translation>Was ein Koeffizient von weniger als 16 Bit aufgibt. Mantisse: die niedrigsten Bits von bf16, wie im Paper. Exponent: eine Zweierpotenz, die den Codes eines Atoms gemeinsam ist, geht in das Atom, und für den Rest genügen weniger Bits Exponent.</translation>
    </message>
    <message>
        <source>default format</source>
        <translation>Format wie üblich</translation>
    </message>
    <message>
        <source>K-SVD: short mantissas, as in the paper; else short exponents</source>
        <translation>K-SVD: kurze Mantissen, wie im Paper; sonst kurze Exponenten</translation>
    </message>
    <message>
        <source>short mantissas</source>
        <translation>kurze Mantissen</translation>
    </message>
    <message>
        <source>bf16 without its lowest bits (the paper)</source>
        <translation>bf16 ohne seine niedrigsten Bits (das Paper)</translation>
    </message>
    <message>
        <source>short exponents</source>
        <translation>kurze Exponenten</translation>
    </message>
    <message>
        <source>The scale of an atom&apos;s codes is moved into the atom, which leaves more digits</source>
        <translation>Die Skala der Codes eines Atoms geht in das Atom, was mehr Stellen lässt</translation>
    </message>
    <message>
        <source>Refit after rounding</source>
        <translation>Nachanpassung nach Rundung</translation>
    </message>
    <message>
        <source>Once the dictionary or left factor has been rounded for storage, the values of S or the right factor can be fitted to it by least squares before they are rounded themselves. Not in the paper; the error before that last rounding is never larger.</source>
        <translation>Ist das Wörterbuch, oder ein linker Faktor, so gerundet, wie es gespeichert wird, können die Werte von S, oder der rechte Faktor, durch kleinste Quadrate daran angepasst werden, bevor sie selbst gerundet werden. Nicht im Paper; nie ein größerer Fehler vor dieser letzten Rundung.</translation>
    </message>
    <message>
        <source>default refit</source>
        <translation>Nachanpassung wie üblich</translation>
    </message>
    <message>
        <source>fast and packed factors are refitted; K-SVD and low rank are not, as published</source>
        <translation>fast und gepackte Faktoren werden nachangepasst; K-SVD und Niedrigrang nicht, wie veröffentlicht</translation>
    </message>
    <message>
        <source>refit</source>
        <translation>Nachanpassung</translation>
    </message>
    <message>
        <source>To the rounded dictionary or left factor</source>
        <translation>An das gerundete Wörterbuch oder den linken Faktor</translation>
    </message>
    <message>
        <source>no refit</source>
        <translation>nicht nachanpassen</translation>
    </message>
    <message>
        <source>Both factors are rounded as they are</source>
        <translation>Beide Faktoren werden gerundet, wie sie sind</translation>
    </message>
    <message>
        <source>Side of the dictionary</source>
        <translation>Seite des Wörterbuchs</translation>
    </message>
    <message>
        <source>inputs: W ≈ D S as in the paper, a sparse code for every output. outputs: the transpose, a sparse code for every input; layers with fewer outputs than inputs get far more atoms for their bytes. K-SVD keeps to the inputs, or allows the outputs without calibration.</source>
        <translation>Eingänge: W ≈ D S wie im Paper, ein dünn besetzter Code für jeden Ausgang. Ausgänge: das Transponierte, ein dünn besetzter Code für jeden Eingang; Schichten mit weniger Ausgängen als Eingängen bekommen weit mehr Atome für ihre Bytes. K-SVD bleibt bei den Eingängen, oder hat die Ausgänge ohne Kalibrierung.</translation>
    </message>
    <message>
        <source>shorter side</source>
        <translation>kürzere Seite</translation>
    </message>
    <message>
        <source>The inputs or the outputs of a layer, whichever are fewer</source>
        <translation>Die Eingänge oder die Ausgänge einer Schicht, je nachdem, was weniger sind</translation>
    </message>
    <message>
        <source>inputs (paper)</source>
        <translation>Eingänge (Paper)</translation>
    </message>
    <message>
        <source>W ≈ D S with atoms over the inputs</source>
        <translation>W ≈ D S mit Atomen über den Eingängen</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>Ausgänge</translation>
    </message>
    <message>
        <source>W ≈ (D S)ᵀ with atoms over the outputs</source>
        <translation>W ≈ (D S)ᵀ mit Atomen über den Ausgängen</translation>
    </message>
    <message>
        <source>Allocation of bytes</source>
        <translation>Verteilung der Bytes</translation>
    </message>
    <message>
        <source>same CR for all: the paper. by sensitivity: a short trial measures what an error of each matrix costs the model&apos;s predictions, and a knapsack distributes the same bytes accordingly; this takes a few more minutes. The rules of other methods distribute the same bytes by the weights themselves, their spectra or errors.</source>
        <translation>gleiche CR für alle: das Paper. nach Empfindlichkeit: ein kurzer Versuch misst, was ein Fehler jeder Matrix die Vorhersagen des Modells kostet, und ein Rucksackverfahren verteilt dieselben Bytes danach; dauert einige Minuten länger. Die Regeln anderer Methoden verteilen dieselben Bytes nach den Gewichten selbst, ihren Spektren oder Fehlern.</translation>
    </message>
    <message>
        <source>Error propagation</source>
        <translation>Fehlerfortpflanzung</translation>
    </message>
    <message>
        <source>off: the inputs X of the original model, as in the paper. compressed inputs: X&apos; of the model compressed so far. errors compensated: X&apos; as well, and the weight that brings the layer&apos;s output closest to the original&apos;s, so that later layers correct errors of earlier ones. Both take a few extra forward passes.</source>
        <translation>aus: die Eingaben X des ursprünglichen Modells, wie im Paper. komprimierte Eingaben: X&apos; des bisher komprimierten Modells. Fehler ausgleichen: ebenfalls X&apos;, und das Gewicht, das die Ausgabe der Schicht der ursprünglichen am nächsten bringt, so dass spätere Schichten Fehler früherer beheben. Beides braucht einige Vorwärtsrechnungen mehr.</translation>
    </message>
    <message>
        <source>off (paper)</source>
        <translation>aus (Paper)</translation>
    </message>
    <message>
        <source>Every layer is fitted to the inputs of the original model</source>
        <translation>Jede Schicht wird an die Eingaben des ursprünglichen Modells angepasst</translation>
    </message>
    <message>
        <source>compressed inputs</source>
        <translation>komprimierte Eingaben</translation>
    </message>
    <message>
        <source>Layers in forward order, fitted to the inputs that the preceding ones produce</source>
        <translation>Schichten in Vorwärtsreihenfolge, angepasst an die Eingaben, die die vorigen hinterlassen</translation>
    </message>
    <message>
        <source>errors compensated</source>
        <translation>Fehler ausgleichen</translation>
    </message>
    <message>
        <source>Also fitted to the outputs of the original model</source>
        <translation>Und an die Ausgaben des ursprünglichen Modells</translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückhalten</translation>
    </message>
    <message>
        <source>Share of the sequences excluded from fitting. The error on them is reported next to the fitted one at every iteration: where it lags behind, the factors learn the text and not the layer. 0.125 is typical; none: all are fitted.</source>
        <translation>Der Anteil der Sequenzen, an den nichts angepasst wird. Der Fehler darauf steht bei jeder Iteration neben dem angepassten: wo er zurückbleibt, lernen die Faktoren den Text und nicht die Schicht. 0.125 ist üblich; keine: alle werden angepasst.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Ridge on the Gram</source>
        <translation>Ridge auf der Gram-Matrix</translation>
    </message>
    <message>
        <source>Ridge</source>
        <translation>Ridge</translation>
    </message>
    <message>
        <source>Added to the Gram&apos;s diagonal, relative to its mean, so that rarely excited inputs keep some weight. none: as in the paper. Errors are reported with the unmodified Gram.</source>
        <translation>Zur Diagonale der Gram-Matrix addiert, mal deren Mittel: Eingaben, die im Kalibrierungstext kaum vorkommen, behalten etwas Gewicht. keine: wie im Paper. Fehler werden mit der Gram-Matrix angegeben, wie sie ist.</translation>
    </message>
    <message>
        <source>Start of K-SVD</source>
        <translation>Start von K-SVD</translation>
    </message>
    <message>
        <source>Start of the dictionary (Algorithm 1)</source>
        <translation>Start des Wörterbuchs (Algorithmus 1)</translation>
    </message>
    <message>
        <source>K-SVD: the first whitened dictionary: random columns of the whitened weight W_L, those of the weight W (the paper), random directions, or singular vectors.</source>
        <translation>K-SVD: das erste geweißte Wörterbuch: zufällige Spalten des geweißten Gewichts W_L, solche des Gewichts W (das Paper), zufällige Richtungen oder Singulärvektoren.</translation>
    </message>
    <message>
        <source>columns of W_L</source>
        <translation>Spalten von W_L</translation>
    </message>
    <message>
        <source>Random columns of the whitened weight</source>
        <translation>Zufällige Spalten des geweißten Gewichts</translation>
    </message>
    <message>
        <source>columns of W</source>
        <translation>Spalten von W</translation>
    </message>
    <message>
        <source>Random columns of the original weight, as in the paper</source>
        <translation>Zufällige Spalten des Gewichts, wie es kam, wie im Paper</translation>
    </message>
    <message>
        <source>Gaussian</source>
        <translation>Gauß</translation>
    </message>
    <message>
        <source>Random directions</source>
        <translation>Zufällige Richtungen</translation>
    </message>
    <message>
        <source>SVD</source>
        <translation>SVD</translation>
    </message>
    <message>
        <source>Leading left singular vectors, then columns</source>
        <translation>Führende linke Singulärvektoren, danach Spalten</translation>
    </message>
    <message>
        <source>Dictionary update of K-SVD</source>
        <translation>Wörterbuchschritt von K-SVD</translation>
    </message>
    <message>
        <source>Dictionary update (Algorithm 1)</source>
        <translation>Wörterbuchschritt (Algorithmus 1)</translation>
    </message>
    <message>
        <source>K-SVD: atom by atom, by power iterations (paper), an exact SVD or one of a random sketch; MOD, all atoms at once by least squares; or online, atoms in turn after each batch of columns.</source>
        <translation>K-SVD: Atom für Atom, durch Potenziterationen (Paper), eine exakte SVD oder eine SVD einer zufälligen Skizze; MOD, alle Atome zugleich durch kleinste Quadrate; oder online, die Atome der Reihe nach nach jedem Stapel von Spalten.</translation>
    </message>
    <message>
        <source>power iterations</source>
        <translation>Potenziterationen</translation>
    </message>
    <message>
        <source>As in the paper</source>
        <translation>Wie im Paper</translation>
    </message>
    <message>
        <source>exact SVD</source>
        <translation>exakte SVD</translation>
    </message>
    <message>
        <source>A full SVD for each atom</source>
        <translation>Eine volle SVD für jedes Atom</translation>
    </message>
    <message>
        <source>randomised SVD</source>
        <translation>randomisierte SVD</translation>
    </message>
    <message>
        <source>An SVD of eight random directions</source>
        <translation>Eine SVD von acht zufälligen Richtungen</translation>
    </message>
    <message>
        <source>MOD</source>
        <translation>MOD</translation>
    </message>
    <message>
        <source>Least squares over all atoms at once</source>
        <translation>Kleinste Quadrate über alle Atome zugleich</translation>
    </message>
    <message>
        <source>online</source>
        <translation>online</translation>
    </message>
    <message>
        <source>Atoms in turn after each of four batches of columns</source>
        <translation>Atome der Reihe nach, nach jedem von vier Stapeln von Spalten</translation>
    </message>
    <message>
        <source>Coder of K-SVD</source>
        <translation>Codierer von K-SVD</translation>
    </message>
    <message>
        <source>Coder (Algorithm 1)</source>
        <translation>Codierer (Algorithmus 1)</translation>
    </message>
    <message>
        <source>K-SVD: how the columns are coded given the dictionary: by orthogonal matching pursuit (the paper), or by the LASSO, whose coefficients are shrunk.</source>
        <translation>K-SVD: wie die Spalten bei gegebenem Wörterbuch codiert werden: durch Orthogonal Matching Pursuit (das Paper), oder durch das LASSO, dessen Koeffizienten geschrumpft sind.</translation>
    </message>
    <message>
        <source>OMP</source>
        <translation>OMP</translation>
    </message>
    <message>
        <source>Orthogonal matching pursuit, as in the paper</source>
        <translation>Orthogonal Matching Pursuit, wie im Paper</translation>
    </message>
    <message>
        <source>LASSO</source>
        <translation>LASSO</translation>
    </message>
    <message>
        <source>The LASSO&apos;s path to as many atoms as a column may have</source>
        <translation>Der Pfad des LASSO bis zu so vielen Atomen, wie eine Spalte haben darf</translation>
    </message>
    <message>
        <source>Unused atoms</source>
        <translation>Atome ohne Nutzung</translation>
    </message>
    <message>
        <source>Dead atoms (Algorithm 1)</source>
        <translation>Tote Atome (Algorithmus 1)</translation>
    </message>
    <message>
        <source>K-SVD: what happens to an atom that no column uses after coding. Replaced: it takes the direction of one of the worst-coded columns. Kept: left alone, as in the paper.</source>
        <translation>K-SVD: was mit einem Atom geschieht, das nach dem Codieren keine Spalte nutzt. Ersetzt: es bekommt die Richtung einer am schlechtesten codierten Spalte. Behalten: in Ruhe gelassen, wie im Paper.</translation>
    </message>
    <message>
        <source>dead atoms replaced</source>
        <translation>tote Atome ersetzen</translation>
    </message>
    <message>
        <source>By the direction of one of the worst-coded columns</source>
        <translation>Durch die Richtung einer am schlechtesten codierten Spalte</translation>
    </message>
    <message>
        <source>dead atoms kept</source>
        <translation>tote Atome behalten</translation>
    </message>
    <message>
        <source>Rounding of coefficients</source>
        <translation>Rundung der Koeffizienten</translation>
    </message>
    <message>
        <source>Rounding of coefficients (§4.2.1)</source>
        <translation>Rundung der Koeffizienten (§4.2.1)</translation>
    </message>
    <message>
        <source>K-SVD: how a coefficient gets fewer than 16 bits. Rounded: the nearest value. Truncated: bf16 with its lowest bits cut off, as in the paper; twice the error of rounding.</source>
        <translation>K-SVD: wie ein Koeffizient weniger als 16 Bit bekommt. Gerundet: der nächste Wert. Abgeschnitten: bf16 ohne seine niedrigsten Bits, wie im Paper; der doppelte Fehler der Rundung.</translation>
    </message>
    <message>
        <source>codes rounded</source>
        <translation>Codes runden</translation>
    </message>
    <message>
        <source>To the nearest stored value</source>
        <translation>Auf den nächsten speicherbaren Wert</translation>
    </message>
    <message>
        <source>codes truncated</source>
        <translation>Codes abschneiden</translation>
    </message>
    <message>
        <source>The lowest bits of bf16 cut off, as in the paper</source>
        <translation>Die niedrigsten Bits von bf16 abgeschnitten, wie im Paper</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>Iterations T (Algorithm 1)</source>
        <translation>Iterationen T (Algorithmus 1)</translation>
    </message>
    <message>
        <source>Rounds of coding and dictionary update. default: 60 for K-SVD as in the paper, 22 for fast, 20 for COMPOT.</source>
        <translation>Von Codierung und Wörterbuchschritt. Standard: 60 für K-SVD wie im Paper, 22 für fast, 20 für COMPOT.</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Power iterations</source>
        <translation>Potenziterationen</translation>
    </message>
    <message>
        <source>Power iterations (Algorithm 1)</source>
        <translation>Potenziterationen (Algorithmus 1)</translation>
    </message>
    <message>
        <source>K-SVD: steps that find an atom&apos;s leading singular pair; the paper uses 8. exact: a full SVD for each atom.</source>
        <translation>K-SVD: Schritte, die das führende Singulärpaar eines Atoms finden; das Paper nimmt 8. exakt: eine volle SVD für jedes Atom.</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>Stops a matrix when its error improves by less than this fraction in an iteration. never: all iterations are done.</source>
        <translation>Beendet eine Matrix, wenn sich ihr Fehler in einer Iteration um weniger als diesen Anteil verbessert. nie: alle Iterationen werden ausgeführt.</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seed of every random choice: equal plans give equal files. The paper uses 42.</source>
        <translation>Jeder zufälligen Wahl: gleiche Pläne ergeben gleiche Dateien. Das Paper nimmt 42.</translation>
    </message>
    <message>
        <source>Refinement</source>
        <translation>Verfeinerung</translation>
    </message>
    <message>
        <source>Refinement by the predictions</source>
        <translation>Verfeinerung nach den Vorhersagen</translation>
    </message>
    <message>
        <source>When all layers are solved, their factors are adjusted jointly, at the same bytes, until the model predicts what the original predicts on this many sequences of the calibration text. An eighth of them is held out to measure the gain. 128 is typical; takes about five forward passes over the sequences. none: as published.</source>
        <translation>Wenn alle Schichten gelöst sind, werden ihre Faktoren gemeinsam bewegt, bei gleichen Bytes, bis das Modell auf so vielen Sequenzen des Kalibrierungstextes vorhersagt, was das ursprüngliche vorhersagt. Ein Achtel davon wird zurückgehalten und zeigt, was gewonnen wurde. 128 ist üblich; kostet etwa fünf Vorwärtsrechnungen über die Sequenzen. keine: wie veröffentlicht.</translation>
    </message>
    <message>
        <source>Refinement rate</source>
        <translation>Verfeinerungsrate</translation>
    </message>
    <message>
        <source>Rate of the refinement</source>
        <translation>Rate der Verfeinerung</translation>
    </message>
    <message>
        <source>How far a step moves an entry, relative to the size of its atom; it decays to 0 over the text. 0.0005 is typical.</source>
        <translation>Wie weit ein Schritt einen Eintrag bewegt, in Größen seines Atoms; sie fällt über den Text auf 0. 0.0005 ist üblich.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Follow the desktop</source>
        <translation>Wie der Desktop</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farbschema</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Follow the desktop: %1</source>
        <translation>Wie der Desktop: %1</translation>
    </message>
    <message>
        <source>Plain: %1</source>
        <translation>Schlicht: %1</translation>
    </message>
    <message>
        <source>How numbers look and are typed in this window. Files, exports and command lines always have a decimal point.</source>
        <translation>Wie Zahlen in diesem Fenster aussehen und eingegeben werden. Dateien, Exporte und Kommandozeilen haben immer einen Dezimalpunkt.</translation>
    </message>
    <message>
        <source>&amp;Numbers</source>
        <translation>&amp;Zahlen</translation>
    </message>
    <message>
        <source>Threads of the engine</source>
        <translation>Threads der Engine</translation>
    </message>
    <message>
        <source>all cores (%1)</source>
        <translation>alle Kerne (%1)</translation>
    </message>
    <message>
        <source>How many processor threads a run may use. Fewer leave the machine usable for other work; results are the same bit for bit.</source>
        <translation>Wie viele Threads des Prozessors ein Lauf benutzen darf. Weniger lassen die Maschine für andere benutzbar; die Ergebnisse sind Bit für Bit gleich.</translation>
    </message>
    <message>
        <source>Th&amp;reads</source>
        <translation>Th&amp;reads</translation>
    </message>
    <message>
        <source>Runs folder</source>
        <translation>Ordner der Läufe</translation>
    </message>
    <message>
        <source>Every run is a subfolder; the index cospadi.sqlite is stored here, too. Existing runs are not moved.</source>
        <translation>Jeder Lauf ist ein Ordner darin; auch der Index cospadi.sqlite steht darin. Vorhandene Läufe werden nicht verschoben.</translation>
    </message>
    <message>
        <source>Choose the folder</source>
        <translation>Den Ordner wählen</translation>
    </message>
    <message>
        <source>Choose the runs folder</source>
        <translation>Den Ordner der Läufe wählen</translation>
    </message>
    <message>
        <source>R&amp;uns folder</source>
        <translation>&amp;Läufe liegen in</translation>
    </message>
    <message>
        <source>Closing the window during a run</source>
        <translation>Schließen des Fensters während eines Laufs</translation>
    </message>
    <message>
        <source>asks what to do</source>
        <translation>fragt, was geschehen soll</translation>
    </message>
    <message>
        <source>stops the run; it can be resumed</source>
        <translation>beendet den Lauf; er kann fortgesetzt werden</translation>
    </message>
    <message>
        <source>lets it continue</source>
        <translation>lässt ihn weiterlaufen</translation>
    </message>
    <message>
        <source>&amp;Closing during a run</source>
        <translation>S&amp;chließen während eines Laufs</translation>
    </message>
    <message>
        <source>&amp;Desktop notification when the last run ends</source>
        <translation>Dem &amp;Desktop melden, wenn der letzte Lauf zu Ende ist</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>The language of this window, from its next start on. Messages of the engine, and the words in files, exports and command lines, are English.</source>
        <translation>Der Texte in diesem Fenster, ab seinem nächsten Start. Was die Engine sagt und die Wörter von Dateien, Exporten und Kommandozeilen sind Englisch.</translation>
    </message>
    <message>
        <source>Threads and the runs folder can be changed when no run, evaluation or calibration is in progress.</source>
        <translation>Threads und der Ordner der Läufe können geändert werden, wenn kein Lauf, keine Auswertung und keine Kalibrierung im Gang ist.</translation>
    </message>
    <message>
        <source>The threads are set by $COSPADI_THREADS.</source>
        <translation>Die Threads sind durch $COSPADI_THREADS festgelegt.</translation>
    </message>
    <message>
        <source>The runs folder is set by --runs or $COSPADI_RUNS: %1</source>
        <translation>Der Ordner der Läufe ist durch --runs oder $COSPADI_RUNS festgelegt: %1</translation>
    </message>
    <message>
        <source>Nothing was changed: %1 is not writable. Choose a folder of yours, or leave the field empty.</source>
        <translation>Nichts wurde geändert: %1 kann nicht beschrieben werden. Einen eigenen Ordner wählen, oder das Feld leer lassen.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SharedLegend</name>
    <message>
        <source>Legend of the curves</source>
        <translation>Welche Kurve was ist</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::ShortcutList</name>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Chart or map: zoom</source>
        <translation>Diagramm oder Karte: Zoom</translation>
    </message>
    <message>
        <source>wheel, + and −; Shift: x only, Ctrl: y only</source>
        <translation>Mausrad, + und −; Umschalt: nur x, Strg: nur y</translation>
    </message>
    <message>
        <source>Chart or map: move</source>
        <translation>Diagramm oder Karte: verschieben</translation>
    </message>
    <message>
        <source>drag, arrow keys in a map</source>
        <translation>ziehen, in einer Karte Pfeiltasten</translation>
    </message>
    <message>
        <source>Chart or map: show all</source>
        <translation>Diagramm oder Karte: alles</translation>
    </message>
    <message>
        <source>double click, 0</source>
        <translation>Doppelklick, 0</translation>
    </message>
    <message>
        <source>Layer: tick it</source>
        <translation>Schicht: ankreuzen</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SubmissionPreview</name>
    <message>
        <source>What would be submitted</source>
        <translation>Was abgeschickt würde</translation>
    </message>
    <message>
        <source>“Preview” asks the cluster: arrays, core-hours and scripts are shown here, and nothing is started.</source>
        <translation>„Zeigen, was es tut“ fragt den Cluster: Arrays, Kernstunden und Skripte stehen dann hier, und nichts wird gestartet.</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n task(s)</source>
        <translation>
            <numerusform>%1: %n Task</numerusform>
            <numerusform>%1: %n Tasks</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing is left to do.</source>
        <translation>Es ist nichts mehr zu tun.</translation>
    </message>
    <message>
        <source>less than %1 core-hours judging by earlier runs on that machine, without evaluations</source>
        <translation>weniger als %1 Kernstunden nach dem, was diese Maschine gezeigt hat, ohne Auswertungen</translation>
    </message>
    <message>
        <source>about %1 core-hours judging by earlier runs on that machine, without evaluations</source>
        <translation>etwa %1 Kernstunden nach dem, was diese Maschine gezeigt hat, ohne Auswertungen</translation>
    </message>
    <message>
        <source>into %1</source>
        <translation>nach %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SweepMatrixModel</name>
    <message>
        <source>running …</source>
        <translation>läuft …</translation>
    </message>
    <message>
        <source>%1: no run with these settings</source>
        <translation>%1: kein Lauf mit diesen Einstellungen</translation>
    </message>
    <message>
        <source>, %1 %2</source>
        <translation>, %1 %2</translation>
    </message>
    <message>
        <source>, %1 not measured</source>
        <translation>, %1 nicht gemessen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SweepSection</name>
    <message>
        <source>e.g. 0.2 0.3 0.4</source>
        <translation>z. B. 0.2 0.3 0.4</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>e.g. 1.5:3:0.5 auto</source>
        <translation>z. B. 1.5:3:0.5 auto</translation>
    </message>
    <message>
        <source>ρ</source>
        <translation>ρ</translation>
    </message>
    <message>
        <source>e.g. 10 22 60</source>
        <translation>z. B. 10 22 60</translation>
    </message>
    <message>
        <source>iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>e.g. 1 2 3</source>
        <translation>z. B. 1 2 3</translation>
    </message>
    <message>
        <source>seeds</source>
        <translation>Seeds</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>Name of the sweep</source>
        <translation>Name des Sweeps</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>Names the runs of the lists above (tag sweep:NAME): shown under Runs as a matrix that fills and as a group; filter sweep=NAME.</source>
        <translation>Läufe der obigen Listen sind unter diesem Namen zu finden, dem Schlagwort sweep:NAME: als Matrix, die sich unter Läufe füllt, als Gruppe, im Filter sweep=NAME.</translation>
    </message>
    <message>
        <source>a name for these runs</source>
        <translation>ein Name für diese Läufe</translation>
    </message>
    <message>
        <source>name of the sweep</source>
        <translation>Name des Sweeps</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Then measure the perplexity</source>
        <translation>Danach die Perplexität messen</translation>
    </message>
    <message>
        <source>Then perplexity</source>
        <translation>Danach Perplexität</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Then evaluate these tasks</source>
        <translation>Danach diese Aufgaben stellen</translation>
    </message>
    <message>
        <source>Then tasks</source>
        <translation>Danach Aufgaben</translation>
    </message>
    <message>
        <source>Task names, separated by spaces or commas, evaluated on each finished run before the next begins; data and number of items as on the Evaluate page. Available: %1. Empty: none.</source>
        <translation>Namen von Aufgaben, durch Leerzeichen oder Kommas getrennt, die jedem Lauf gestellt werden, sobald er fertig ist und bevor der nächste beginnt: mit den Daten und so vielen Beispielen, wie die Seite Auswerten sagt. Es gibt %1. Leer: keine.</translation>
    </message>
    <message>
        <source>e.g. piqa arc_easy</source>
        <translation>z. B. piqa arc_easy</translation>
    </message>
    <message>
        <source>tasks</source>
        <translation>Aufgaben</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Danach</translation>
    </message>
    <message>
        <source>List of %1</source>
        <translation>Liste von %1</translation>
    </message>
    <message>
        <source>Sweep over %1</source>
        <translation>Sweep über %1</translation>
    </message>
    <message>
        <source>Values separated by spaces or commas, or first:last:step. Every combination of all lists becomes a run; the grid is shown on the right before anything starts. Empty: the single value above.</source>
        <translation>Werte durch Leerzeichen oder Kommas getrennt, oder erster:letzter:Schritt. Jede Kombination aller Listen wird ein Lauf; das Gitter steht rechts, bevor etwas beginnt. Leer: der einzelne Wert oben.</translation>
    </message>
    <message>
        <source>sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>Measured for every run, also a single one, once it is finished and before the next begins, on WikiText-2 as on the Runs page. It is shown in the matrix of the sweep. The cluster dialog takes this as its default.</source>
        <translation>Von jedem Lauf, auch von einem einzelnen, sobald er fertig ist und bevor der nächste beginnt, auf WikiText-2 wie auf der Seite Läufe. Sie steht in der Matrix des Sweeps. Der Dialog für einen Cluster beginnt mit dem, was hier steht.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::SweepView</name>
    <message>
        <source>sweep</source>
        <translation>Sweep</translation>
    </message>
    <message>
        <source>The sweep: runs that share a name</source>
        <translation>Welcher Sweep: Läufe, die einen gemeinsamen Namen bekamen</translation>
    </message>
    <message>
        <source>shows</source>
        <translation>zeigt</translation>
    </message>
    <message>
        <source>The value shown in the cells of finished runs</source>
        <translation>Was in den Zellen fertiger Läufe steht</translation>
    </message>
    <message>
        <source>down</source>
        <translation>abwärts</translation>
    </message>
    <message>
        <source>The setting that changes from row to row; other differences between runs are in the names of the rows</source>
        <translation>Die Einstellung, die sich von Zeile zu Zeile ändert; worin Läufe sich sonst unterscheiden, steht in den Namen der Zeilen</translation>
    </message>
    <message>
        <source>across</source>
        <translation>quer</translation>
    </message>
    <message>
        <source>The setting that changes from column to column</source>
        <translation>Die Einstellung, die sich von Spalte zu Spalte ändert</translation>
    </message>
    <message>
        <source>Runs of the sweep</source>
        <translation>Läufe des Sweeps</translation>
    </message>
    <message>
        <source>No sweep has a name yet</source>
        <translation>Noch kein Sweep hat einen Namen</translation>
    </message>
    <message>
        <source>Runs that were requested together are shown here as a matrix that fills as they finish. Give the sweep a name under Sweep on the Plan page, or on the command line: cospadi sweep … --name NAME.</source>
        <translation>Läufe, die zusammen verlangt wurden, stehen hier als Matrix, die sich füllt, während sie fertig werden. Dem Sweep unter Sweep auf der Plan-Seite einen Namen geben, oder auf der Kommandozeile: cospadi sweep … --name NAME.</translation>
    </message>
    <message>
        <source>%1 of %2 finished</source>
        <translation>%1 von %2 fertig</translation>
    </message>
    <message>
        <source>Plan a sweep</source>
        <translation>Einen Sweep planen</translation>
    </message>
    <message>
        <source>Lists of values under Sweep on the Plan page</source>
        <translation>Listen von Werten unter Sweep auf der Seite Plan</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TableContentForm</name>
    <message>
        <source>What the table shows</source>
        <translation>Was die Tabelle zeigt</translation>
    </message>
    <message>
        <source>What the table is made of</source>
        <translation>Woraus die Tabelle besteht</translation>
    </message>
    <message>
        <source>My runs, custom layout</source>
        <translation>Meine Läufe, in eigener Form</translation>
    </message>
    <message>
        <source>My runs: %1</source>
        <translation>Meine Läufe: %1</translation>
    </message>
    <message>
        <source>Paper, table %1: %2</source>
        <translation>Paper, Tabelle %1: %2</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Settings down the side, the first one outermost</source>
        <translation>Einstellungen, die seitlich stehen, die erste außen</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Settings across the top; none: one column of values</source>
        <translation>Einstellungen, die oben stehen; keine: eine Spalte mit Werten</translation>
    </message>
    <message>
        <source>The value in the cells: a mean over the seeds of runs that agree in everything else. avg_acc is the mean accuracy on the paper&apos;s eight tasks, for runs that have all of them</source>
        <translation>Was in den Zellen steht: ein Mittel über die Seeds von Läufen, die sonst in allem übereinstimmen. avg_acc ist die mittlere Genauigkeit der acht Aufgaben des Papers, von Läufen, die alle haben</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Daneben</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TableLayoutForm</name>
    <message>
        <source>How the table looks</source>
        <translation>Wie die Tabelle aussieht</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>default</source>
        <translation>üblich</translation>
    </message>
    <message>
        <source>Digits after the decimal point; CSV has them all. default: two for a perplexity, four for an error …</source>
        <translation>Stellen nach dem Komma; CSV hat alle. üblich: zwei bei einer Perplexität, vier bei einem Fehler …</translation>
    </message>
    <message>
        <source>Decimals</source>
        <translation>Dezimalstellen</translation>
    </message>
    <message>
        <source>best bold</source>
        <translation>Bestes fett</translation>
    </message>
    <message>
        <source>second underlined</source>
        <translation>Zweites unterstrichen</translation>
    </message>
    <message>
        <source>mean ± std over seeds</source>
        <translation>Mittel ± Std. über Seeds</translation>
    </message>
    <message>
        <source>Where several seeds agree in everything else; unchecked: only the mean</source>
        <translation>Wo mehrere Seeds sonst in allem übereinstimmen; ohne dies steht das Mittel allein</translation>
    </message>
    <message>
        <source>↑ ↓ in headings</source>
        <translation>↑ ↓ im Kopf</translation>
    </message>
    <message>
        <source>Marks in the heading of every measured value which direction is better</source>
        <translation>Hinter der Überschrift jedes gemessenen Werts, in welcher Richtung er besser ist</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>LaTeX: with a caption or a label the table floats (environment table), with its notes below it; otherwise only the tabular is written</source>
        <translation>LaTeX: mit Titel oder Label gleitet die Tabelle (Umgebung table), ihre Anmerkungen darunter gedruckt; sonst ist es nur das tabular</translation>
    </message>
    <message>
        <source>tab:…</source>
        <translation>tab:…</translation>
    </message>
    <message>
        <source>LaTeX: the name for \ref{…}</source>
        <translation>LaTeX: womit \ref{…} auf sie verweist</translation>
    </message>
    <message>
        <source>Caption</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>Order and names</source>
        <translation>Von Hand</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Drag, or press Alt+Up or Alt+Down. An unchecked column is left out. F2 renames it.</source>
        <translation>Ziehen, oder Alt+Auf und Alt+Ab. Ohne Häkchen fehlt eine Spalte. F2 benennt sie um.</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Drag, or press Alt+Up or Alt+Down. An unchecked row is left out. Rename it in the preview.</source>
        <translation>Ziehen, oder Alt+Auf und Alt+Ab. Ohne Häkchen fehlt eine Zeile. Umbenannt wird sie in der Vorschau.</translation>
    </message>
    <message>
        <source>Default order and names</source>
        <translation>Eigene Ordnung und Namen</translation>
    </message>
    <message>
        <source>Restores the default order and name of every row and column</source>
        <translation>Jede Zeile und Spalte in eigener Ordnung, unter eigenem Namen</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TablePreview</name>
    <message>
        <source>As in print</source>
        <translation>Wie gedruckt</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Copy the source in this format</source>
        <translation>Die Quelle in diesem Format kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Source of the table</source>
        <translation>Quelle der Tabelle</translation>
    </message>
    <message>
        <source>Equivalent command line</source>
        <translation>Gleichwertige Kommandozeile</translation>
    </message>
    <message>
        <source>As a command:</source>
        <translation>Als Befehl:</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>Kommandozeile kopieren</translation>
    </message>
    <message>
        <source>The table as a paper would show it</source>
        <translation>Die Tabelle, wie ein Paper sie zeigte</translation>
    </message>
    <message>
        <source>Notes of the table</source>
        <translation>Anmerkungen der Tabelle</translation>
    </message>
    <message>
        <source>Save .%1…</source>
        <translation>.%1 speichern…</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Die Tabelle speichern</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TablesPage</name>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Nothing was saved: %1</source>
        <translation>Nichts wurde gespeichert: %1</translation>
    </message>
    <message>
        <source>Saved tables</source>
        <translation>Gespeicherte Tabellen</translation>
    </message>
    <message>
        <source>Tables saved by name; each is rebuilt from the current runs</source>
        <translation>Tabellen, die unter einem Namen gespeichert wurden; jede wird aus den jetzt vorhandenen Läufen neu gemacht</translation>
    </message>
    <message>
        <source>Name of the table</source>
        <translation>Name der Tabelle</translation>
    </message>
    <message>
        <source>Name to save this table under</source>
        <translation>Name zum Speichern</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Saves the design, not the numbers: cospadi report --saved NAME makes the same table</source>
        <translation>Behält den Entwurf, nicht seine Zahlen: cospadi report --saved NAME macht dieselbe Tabelle</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deletes the saved table of this name; runs are not affected</source>
        <translation>Vergisst die gespeicherte Tabelle dieses Namens; kein Lauf wird berührt</translation>
    </message>
    <message>
        <source>&amp;Make from my runs…</source>
        <translation>Aus eigenen Läufen &amp;erstellen…</translation>
    </message>
    <message>
        <source>A table or figure of the paper: the required runs and their cost, then the table with the paper&apos;s values next to your own</source>
        <translation>Eine Tabelle oder Abbildung des Papers: die nötigen Läufe und was sie kosten, danach die Tabelle mit den Werten des Papers neben den eigenen</translation>
    </message>
    <message>
        <source>Numbers with a point, separated by spaces</source>
        <translation>Zahlen mit Punkt, durch Leerzeichen getrennt</translation>
    </message>
    <message>
        <source>No runs are stored yet</source>
        <translation>Noch sind keine Läufe gespeichert</translation>
    </message>
    <message>
        <source>A table is made from finished runs: press Run for the first one. The paper&apos;s own tables are already available: choose one on the left.</source>
        <translation>Eine Tabelle besteht aus fertigen Läufen: zum ersten genügt ein Klick auf Starten. Die eigenen Tabellen des Papers können schon gezeigt werden: links eine wählen.</translation>
    </message>
    <message>
        <source>New table</source>
        <translation>Neue Tabelle</translation>
    </message>
    <message>
        <source>The table is saved as %1.</source>
        <translation>Die Tabelle ist als %1 gespeichert.</translation>
    </message>
    <message>
        <source>It is rebuilt from the current runs whenever it is opened.</source>
        <translation>Beim Öffnen wird sie aus den dann vorhandenen Läufen neu gemacht.</translation>
    </message>
    <message>
        <source>%1 is no longer saved.</source>
        <translation>%1 ist nicht mehr gespeichert.</translation>
    </message>
    <message>
        <source>It is still shown here: Save restores it.</source>
        <translation>Sie steht noch hier: Speichern behält sie doch.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TaskBoardModel</name>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>already done</source>
        <translation>war vorhanden</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>das Modell wird geladen</translation>
    </message>
    <message>
        <source>running, %1 left</source>
        <translation>läuft, noch %1</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>%1, CR %2</source>
        <translation>%1, CR %2</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>%1, version %2, examples in the prompt: %3</source>
        <translation>%1, Version %2, Beispiele im Prompt: %3</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>acc</source>
        <translation>acc</translation>
    </message>
    <message>
        <source>acc_norm</source>
        <translation>acc_norm</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>The run, or the dense model</source>
        <translation>Der Lauf, oder das dichte Modell</translation>
    </message>
    <message>
        <source>As lm-eval names it</source>
        <translation>Wie lm-eval sie nennt</translation>
    </message>
    <message>
        <source>Share of items whose most likely answer is right, with its 95 % interval</source>
        <translation>Anteil der Beispiele, deren wahrscheinlichste Antwort richtig ist, mit dem 95-%-Intervall</translation>
    </message>
    <message>
        <source>The same with likelihoods divided by the answer&apos;s length in characters</source>
        <translation>Dasselbe mit Likelihoods geteilt durch die Länge der Antwort in Zeichen</translation>
    </message>
    <message>
        <source>LAMBADA: of the last words; WikiText: per word</source>
        <translation>LAMBADA: der letzten Wörter; WikiText: je Wort</translation>
    </message>
    <message>
        <source>Items evaluated so far</source>
        <translation>Bisher ausgewertete Beispiele</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TaskDescription</name>
    <message>
        <source>Everyday physics, two answers. File: piqa.jsonl</source>
        <translation>Alltagsphysik, zwei Antworten. Datei: piqa.jsonl</translation>
    </message>
    <message>
        <source>How a situation continues, four endings. File: hellaswag.jsonl</source>
        <translation>Wie eine Situation weitergeht, vier Enden. Datei: hellaswag.jsonl</translation>
    </message>
    <message>
        <source>The last word of a passage: accuracy and perplexity. File: lambada_openai.jsonl</source>
        <translation>Das letzte Wort einer Passage: Genauigkeit und Perplexität. Datei: lambada_openai.jsonl</translation>
    </message>
    <message>
        <source>School science, easy. File: arc_easy.jsonl</source>
        <translation>Naturwissenschaft aus der Schule, leicht. Datei: arc_easy.jsonl</translation>
    </message>
    <message>
        <source>School science, hard. File: arc_challenge.jsonl</source>
        <translation>Naturwissenschaft aus der Schule, schwer. Datei: arc_challenge.jsonl</translation>
    </message>
    <message>
        <source>Science questions with a supporting text. File: sciq.jsonl</source>
        <translation>Naturwissenschaftliche Fragen mit stützendem Text. Datei: sciq.jsonl</translation>
    </message>
    <message>
        <source>Reading comprehension, long texts. File: race_high.jsonl</source>
        <translation>Leseverständnis, lange Texte. Datei: race_high.jsonl</translation>
    </message>
    <message>
        <source>Whom a sentence refers to, two names. File: winogrande.jsonl</source>
        <translation>Wen ein Satz meint, zwei Namen. Datei: winogrande.jsonl</translation>
    </message>
    <message>
        <source>Yes or no after a passage. File: boolq.jsonl</source>
        <translation>Ja oder nein nach einer Passage. Datei: boolq.jsonl</translation>
    </message>
    <message>
        <source>Elementary science, four answers. File: openbookqa.jsonl</source>
        <translation>Elementare Naturwissenschaft, vier Antworten. Datei: openbookqa.jsonl</translation>
    </message>
    <message>
        <source>Cause or effect, two answers. File: copa.jsonl</source>
        <translation>Ursache oder Wirkung, zwei Antworten. Datei: copa.jsonl</translation>
    </message>
    <message>
        <source>WikiText-2: word, byte and bits-per-byte perplexity. File: wikitext2_test.jsonl</source>
        <translation>WikiText-2: Perplexität je Wort und je Byte, Bits je Byte. Datei: wikitext2_test.jsonl</translation>
    </message>
    <message>
        <source>57 subjects, four answers each; one task per subject. File: mmlu.jsonl</source>
        <translation>57 Fächer, je vier Antworten; eine Aufgabe je Fach. Datei: mmlu.jsonl</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::TaskQueue</name>
    <message>
        <source>The engine ended. Start again: finished tasks are not repeated.</source>
        <translation>Die Engine ist zu Ende. Neu starten: beendete Aufgaben werden nicht noch einmal gefragt.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::UsageCard</name>
    <message>
        <source> · coding &lt;b&gt;%1 %&lt;/b&gt;, dictionary &lt;b&gt;%2 %&lt;/b&gt;</source>
        <translation> · Codierung &lt;b&gt;%1 %&lt;/b&gt;, Wörterbuch &lt;b&gt;%2 %&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Atom usage</source>
        <translation>Atomnutzung</translation>
    </message>
    <message>
        <source>Dead atoms: no column uses them, their bytes are wasted.
Entropy of the use counts: 1 = all atoms equally used.
Coding: the share of the time spent on S given D;
dictionary: on D given S; the rest is neither.</source>
        <translation>Tote Atome: keine Spalte nutzt sie, ihre Bytes sind vergeudet.
Entropie der Nutzungszahlen: 1 = alle Atome gleich genutzt.
Codierung: der Anteil der Zeit, der in S bei gegebenem D ging;
Wörterbuch: in D bei gegebenem S; der Rest ist keines von beiden.</translation>
    </message>
    <message>
        <source>a low-rank factorisation has no atoms</source>
        <translation>eine Niedrigrang-Faktorisierung hat keine Atome</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; of %2 atoms dead (no column uses them) · entropy &lt;b&gt;%3&lt;/b&gt; (1: all used equally)</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; von %2 Atomen tot (keine Spalte nutzt sie) · Entropie &lt;b&gt;%3&lt;/b&gt; (1: alle gleich genutzt)</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::UsageChart</name>
    <message>
        <source>atoms, most used first (% of k)</source>
        <translation>Atome, meistgenutzte zuerst (% von k)</translation>
    </message>
    <message>
        <source>columns that use it</source>
        <translation>Spalten, die es nutzen</translation>
    </message>
    <message>
        <source>How often each atom is used, once a dictionary is being learned.</source>
        <translation>Wie oft jedes Atom genutzt wird, sobald ein Wörterbuch gelernt wird.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::WelcomeGuide</name>
    <message>
        <source>First steps</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>&lt;span style=&apos;font-size:large; font-weight:600&apos;&gt;CoSpaDi Workbench&lt;/span&gt;&lt;br&gt;&lt;span style=&apos;color:%1&apos;&gt;Replaces the weights W of a language model by a dictionary D and sparse codes S, W&amp;nbsp;≈&amp;nbsp;D&amp;nbsp;S, and shows what it costs and saves.&lt;/span&gt;</source>
        <translation>&lt;span style=&apos;font-size:large; font-weight:600&apos;&gt;CoSpaDi Workbench&lt;/span&gt;&lt;br&gt;&lt;span style=&apos;color:%1&apos;&gt;Ersetzt die Gewichte W eines Sprachmodells durch ein Wörterbuch D und dünn besetzte Codes S, W&amp;nbsp;≈&amp;nbsp;D&amp;nbsp;S, und zeigt, was das kostet und spart.&lt;/span&gt;</translation>
    </message>
    <message>
        <source>Help → First steps shows this again. Ctrl+K finds every command.</source>
        <translation>Hilfe → Erste Schritte zeigt dies wieder. Strg+K findet jeden Befehl.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::WholeControls</name>
    <message>
        <source>How a factor&apos;s entries are stored, as on the Plan page. Integers pay off only at CRs beyond those at which these curves are measured, and are not offered.</source>
        <translation>Wie die Einträge eines Faktors gespeichert werden, wie auf der Seite Plan. Die ganzen Zahlen von dort lohnen sich bei CRs jenseits derer, bei denen diese Kurven gemessen werden, und stehen nicht zur Wahl.</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>CR</translation>
    </message>
    <message>
        <source>ρ = k/s</source>
        <translation>ρ = k/s</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicherung</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Compression ratio of the whole model</source>
        <translation>Kompressionsrate des ganzen Modells</translation>
    </message>
    <message>
        <source>The share of the matrices&apos; bytes that is removed: 0.2 leaves 80 %</source>
        <translation>Der Anteil der Bytes der Matrizen, der wegfällt: 0.2 lässt 80 %</translation>
    </message>
    <message>
        <source>Size of the whole model in MB</source>
        <translation>Größe des ganzen Modells in MB</translation>
    </message>
    <message>
        <source> MB</source>
        <translation> MB</translation>
    </message>
    <message>
        <source>Instead of CR: the size of the whole model. Embedding, head, norms and excluded matrices count 2 bytes per number.</source>
        <translation>Anstelle der CR: die Größe des ganzen Modells. Embedding, Kopf, Normen und Ausgelassenes zählen mit 2 Bytes je Zahl.</translation>
    </message>
    <message>
        <source>ρ of the whole model</source>
        <translation>ρ des ganzen Modells</translation>
    </message>
    <message>
        <source>ρ = k/s: atoms per non-zero of a column. Each ρ has its own curves; they are measured once and kept.</source>
        <translation>ρ = k/s: Atome je Nichtnulleintrag einer Spalte. Ein anderes ρ hat eigene Kurven; sie werden einmal gemessen und behalten.</translation>
    </message>
    <message>
        <source>Method of the whole model</source>
        <translation>Methode des ganzen Modells</translation>
    </message>
    <message>
        <source>Storage of the whole model</source>
        <translation>Speicherung des ganzen Modells</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Compresses the model with the ratios of the map, one per matrix, at once or after the current work</source>
        <translation>Komprimiert das Modell mit den Raten der Karte, jede Matrix mit ihrer eigenen, sofort beginnend oder nach dem, was im Gang ist</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::WholePage</name>
    <message>
        <source>reading the model</source>
        <translation>Modell wird gelesen</translation>
    </message>
    <message>
        <source>calibrating</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>perplexity of the uncompressed model</source>
        <translation>Perplexität des Modells, wie es ist</translation>
    </message>
    <message>
        <source>measuring curves</source>
        <translation>Kurven werden gemessen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>, about %1 left</source>
        <translation>, noch etwa %1</translation>
    </message>
    <message>
        <source>everything is measured</source>
        <translation>alles ist gemessen</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <source>requesting curves …</source>
        <translation>Kurven werden angefragt …</translation>
    </message>
    <message>
        <source>The whole model under one slider</source>
        <translation>Das ganze Modell unter einem Regler</translation>
    </message>
    <message>
        <source>Open a model: the error of every matrix at each ratio, and its cost to the predictions, are measured while you watch.</source>
        <translation>Ein Modell öffnen: Was jede Matrix bei einem Verhältnis verliert, und was das die Vorhersagen kostet, wird gemessen, während Sie zusehen.</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::WindowDialogs</name>
    <message>
        <source>Try one block</source>
        <translation>Einen Block versuchen</translation>
    </message>
    <message>
        <source>Compresses the matrices of the first block in seconds, and explains the result.</source>
        <translation>Komprimiert die Matrizen des ersten Blocks in Sekunden und erklärt, was dabei herauskam.</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Versuchen</translation>
    </message>
    <message>
        <source>Choose layers</source>
        <translation>Schichten wählen</translation>
    </message>
    <message>
        <source>On the Model page: tick matrices, whole kinds (q, k, v …) or blocks. Initially all are ticked; how long that takes is shown next to Run.</source>
        <translation>Auf der Seite Modell: Matrizen, ganze Arten (q, k, v …) oder Blöcke ankreuzen. Anfangs sind alle angekreuzt; wie lange das dauert, steht neben Starten.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Look at one matrix</source>
        <translation>Eine Matrix ansehen</translation>
    </message>
    <message>
        <source>Explore draws its error against ρ, the bytes and the iterations while you drag.</source>
        <translation>Erkunden zeichnet beim Ziehen ihren Fehler über ρ, den Bytes und den Iterationen.</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Set the plan</source>
        <translation>Den Plan festlegen</translation>
    </message>
    <message>
        <source>Method, compression ratio and ρ = k/s, with predicted bytes, time and memory. Every field explains itself.</source>
        <translation>Methode, Kompressionsrate und ρ = k/s, mit vorhergesagten Bytes, Zeit und Speicher. Jedes Feld erklärt sich selbst.</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Ctrl+Enter starts the plan; Monitor draws errors and atom usage live. Pausing, cancelling and resuming lose nothing; the same run as a command line is shown under the button.</source>
        <translation>Strg+Enter startet den Plan; Monitor zeichnet Fehler und Atomnutzung live. Anhalten, Abbrechen und Fortsetzen verlieren nichts; derselbe Lauf als Kommandozeile steht unter der Schaltfläche.</translation>
    </message>
    <message>
        <source>Monitor</source>
        <translation>Monitor</translation>
    </message>
    <message>
        <source>Compare and export figures</source>
        <translation>Vergleichen und Abbildungen mitnehmen</translation>
    </message>
    <message>
        <source>Runs lists everything that was done; select some to compare them. Export writes SVG, PDF and PNG; tables are written as LaTeX, CSV and Markdown.</source>
        <translation>Läufe listet alles auf, was getan wurde; einige auswählen, um sie zu vergleichen. Exportieren schreibt SVG, PDF und PNG, Tabellen schreiben LaTeX, CSV und Markdown.</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>known once the engine has started</source>
        <translation>sagt die Engine, sobald sie gestartet ist</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>used (%1)</source>
        <translation>verwendet (%1)</translation>
    </message>
    <message>
        <source>not used: %1</source>
        <translation>nicht verwendet: %1</translation>
    </message>
    <message>
        <source>Qt</source>
        <translation>Qt</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
</context>
<context>
    <name>cospadi::ui::WindowPages</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Whole</source>
        <translation>Gesamt</translation>
    </message>
    <message>
        <source>Monitor</source>
        <translation>Monitor</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
</context>
</TS>
