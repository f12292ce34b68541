<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>strata::gui::AddPage</name>
    <message>
        <source>Evaluator</source>
        <translation>Bewerter</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Schätzen</translation>
    </message>
    <message>
        <source>Edit and preview...</source>
        <translation>Bearbeiten und Vorschau ...</translation>
    </message>
    <message>
        <source>Add version</source>
        <translation>Version hinzufügen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>what is different: lr 2e-5, 3 epochs</source>
        <translation>was anders ist: lr 2e-5, 3 Epochen</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>prod, lab</source>
        <translation>prod, lab</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>a command that scores a model; empty: quality is not measured</source>
        <translation>ein Befehl, der ein Modell bewertet; leer: Güte wird nicht gemessen</translation>
    </message>
    <message>
        <source>Progress of adding</source>
        <translation>Fortschritt des Hinzufügens</translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation>Durchsuchen ...</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>The original file is read only; Strata will not move or delete it.</source>
        <translation>Die Datei wird nur gelesen; Strata verschiebt oder löscht sie nicht.</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json);;All files (*)</source>
        <translation>Modelle (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Reading...</source>
        <translation>Wird gelesen ...</translation>
    </message>
    <message>
        <source>%1, %2, %3, %4</source>
        <translation>%1, %2, %3, %4</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n Tensor</numerusform>
            <numerusform>%n Tensoren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n more to add after this</source>
        <translation>
            <numerusform>; danach noch %n hinzuzufügen</numerusform>
            <numerusform>; danach noch %n hinzuzufügen</numerusform>
        </translation>
    </message>
    <message>
        <source>a new name: becomes %1:v1</source>
        <translation>ein neuer Name: wird %1:v1</translation>
    </message>
    <message>
        <source>becomes %1:v%2</source>
        <translation>wird %1:v%2</translation>
    </message>
    <message>
        <source>Add base</source>
        <translation>Basis hinzufügen</translation>
    </message>
    <message>
        <source>Coding it on trial...</source>
        <translation>Wird zur Probe kodiert ...</translation>
    </message>
    <message>
        <source>Coding it on trial: %1</source>
        <translation>Wird zur Probe kodiert: %1</translation>
    </message>
    <message>
        <source>would store %1 (%2)</source>
        <translation>würde %1 belegen (%2)</translation>
    </message>
    <message>
        <source>is stored already: nothing would be added</source>
        <translation>ist schon gespeichert: nichts käme hinzu</translation>
    </message>
    <message>
        <source>Cancelled: the store is as it was.</source>
        <translation>Abgebrochen: die Ablage ist, wie sie war.</translation>
    </message>
    <message>
        <source>Nothing was stored: no settings reach the target.</source>
        <translation>Nichts wurde gespeichert: keine Einstellungen erreichen das Ziel.</translation>
    </message>
    <message>
        <source>Store the nearest</source>
        <translation>Das Nächstliegende speichern</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Error at most</source>
        <translation>Fehler höchstens</translation>
    </message>
    <message>
        <source>The file is damaged or not complete: get it again.</source>
        <translation>Die Datei ist beschädigt oder unvollständig: bitte neu beschaffen.</translation>
    </message>
    <message>
        <source>Allow more, choose a finer profile, or store the nearest all the same.</source>
        <translation>Mehr erlauben, ein feineres Profil wählen oder das Nächstliegende trotzdem speichern.</translation>
    </message>
    <message>
        <source>Drop a model here, choose one, or type its path</source>
        <translation>Ein Modell hierher ziehen, auswählen oder seinen Pfad eintippen</translation>
    </message>
    <message>
        <source>relative, such as %1; empty: as the profile says. What misses it is not stored</source>
        <translation>relativ, etwa %1; leer: wie im Profil. Was ihn verfehlt, wird nicht gespeichert</translation>
    </message>
</context>
<context>
    <name>strata::gui::AddResult</name>
    <message>
        <source>Stored %1: the same content as %2, so nothing was added</source>
        <translation>%1 gespeichert: derselbe Inhalt wie %2, es kam also nichts hinzu</translation>
    </message>
    <message>
        <source>%1 has this content already; there is no new version</source>
        <translation>%1 hat diesen Inhalt schon; es gibt keine neue Version</translation>
    </message>
    <message>
        <source>%1 has this content already; its packs were not here, and are now</source>
        <translation>%1 hat diesen Inhalt schon; seine Pakete fehlten hier und sind jetzt da</translation>
    </message>
    <message>
        <source>%1 was damaged and has been repaired</source>
        <translation>%1 war beschädigt und ist repariert</translation>
    </message>
    <message>
        <source>Stored %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>%1 -&gt; %2   %3</source>
        <translation>%1 -&gt; %2   %3</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>%1 changed, %2 same, %3 new</source>
        <translation>%1 geändert, %2 gleich, %3 neu</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Güte</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>Kept exactly</source>
        <translation>Exakt behalten</translation>
    </message>
    <message>
        <source>Repaired</source>
        <translation>Repariert</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>No settings could be measured.</source>
        <translation>Keine Einstellungen ließen sich messen.</translation>
    </message>
    <message numerus="yes">
        <source>At most %1 may be stored; the nearest of %n trial(s) takes %2.</source>
        <translation>
            <numerusform>Höchstens %1 dürfen belegt werden; der eine Versuch braucht %2.</numerusform>
            <numerusform>Höchstens %1 dürfen belegt werden; der beste von %n Versuchen braucht %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The relative error may be at most %1; the nearest of %n trial(s) has %2.</source>
        <translation>
            <numerusform>Der relative Fehler darf höchstens %1 sein; der eine Versuch hat %2.</numerusform>
            <numerusform>Der relative Fehler darf höchstens %1 sein; der beste von %n Versuchen hat %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At most %1 points may be lost; the nearest of %n trial(s) loses %2: %3.</source>
        <translation>
            <numerusform>Höchstens %1 Punkte dürfen verloren gehen; der eine Versuch verliert %2: %3.</numerusform>
            <numerusform>Höchstens %1 Punkte dürfen verloren gehen; der beste von %n Versuchen verliert %2: %3.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::AuthOps</name>
    <message>
        <source>Reading credentials</source>
        <translation>Zugangsdaten werden gelesen</translation>
    </message>
    <message>
        <source>The credentials could not be looked up</source>
        <translation>Die Zugangsdaten konnten nicht gefunden werden</translation>
    </message>
    <message>
        <source>Asking %1</source>
        <translation>%1 wird gefragt</translation>
    </message>
    <message>
        <source>%1 could not be asked</source>
        <translation>%1 konnte nicht gefragt werden</translation>
    </message>
    <message>
        <source>Logging in to %1</source>
        <translation>Anmeldung bei %1</translation>
    </message>
    <message>
        <source>The login to %1 could not be kept</source>
        <translation>Die Anmeldung bei %1 konnte nicht behalten werden</translation>
    </message>
    <message>
        <source>Logging out of %1</source>
        <translation>Abmeldung von %1</translation>
    </message>
    <message>
        <source>The login to %1 could not be forgotten</source>
        <translation>Die Anmeldung bei %1 konnte nicht vergessen werden</translation>
    </message>
</context>
<context>
    <name>strata::gui::Banner</name>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Hide this message</source>
        <translation>Diese Meldung ausblenden</translation>
    </message>
    <message>
        <source>%1  [%2]</source>
        <translation>%1  [%2]</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Verify store</source>
        <translation>Ablage prüfen</translation>
    </message>
    <message>
        <source>Show storage</source>
        <translation>Speicher zeigen</translation>
    </message>
    <message>
        <source>Open another store...</source>
        <translation>Andere Ablage öffnen ...</translation>
    </message>
    <message>
        <source>Credentials...</source>
        <translation>Anmeldungen ...</translation>
    </message>
    <message numerus="yes">
        <source>... and %n more line(s)</source>
        <translation>
            <numerusform>... und %n weitere Zeile</numerusform>
            <numerusform>... und %n weitere Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
</context>
<context>
    <name>strata::gui::BaseChooser</name>
    <message>
        <source>   ! poor match</source>
        <translation>   ! passt schlecht</translation>
    </message>
    <message>
        <source>None: store it in full, as a base</source>
        <translation>Keine: ganz speichern, als Basis</translation>
    </message>
    <message>
        <source>None: store it in full, as a new base</source>
        <translation>Keine: ganz speichern, als neue Basis</translation>
    </message>
    <message>
        <source>%1   a like weight for %2 of the bytes</source>
        <translation>%1   ein ähnliches Gewicht für %2 der Bytes</translation>
    </message>
    <message>
        <source>, would store about %1</source>
        <translation>, würde etwa %1 belegen</translation>
    </message>
</context>
<context>
    <name>strata::gui::BundleImport</name>
    <message>
        <source>Everything in %1 is here already.</source>
        <translation>Alles in %1 ist schon hier.</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>the command</source>
        <translation>der Befehl</translation>
    </message>
    <message>
        <source>Take them</source>
        <translation>Übernehmen</translation>
    </message>
    <message numerus="yes">
        <source>Took %n version(s)</source>
        <translation>
            <numerusform>%n Version übernommen</numerusform>
            <numerusform>%n Versionen übernommen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>New in %1: %n version(s), %2</source>
        <translation>
            <numerusform>Neu in %1: %n Version, %2</numerusform>
            <numerusform>Neu in %1: %n Versionen, %2</numerusform>
        </translation>
    </message>
    <message>
        <source>It needs a base that is fetched from elsewhere: %1</source>
        <translation>Dazu gehört eine Basis, die von anderswo geholt wird: %1</translation>
    </message>
    <message>
        <source>Take them and fetch the base</source>
        <translation>Übernehmen und die Basis holen</translation>
    </message>
</context>
<context>
    <name>strata::gui::CardView</name>
    <message>
        <source>Model card</source>
        <translation>Modellkarte</translation>
    </message>
    <message>
        <source>Select a repository to read its model card.</source>
        <translation>Wählen Sie ein Repositorium, um seine Modellkarte zu lesen.</translation>
    </message>
</context>
<context>
    <name>strata::gui::CareOps</name>
    <message>
        <source>Cleaning up</source>
        <translation>Aufräumen</translation>
    </message>
    <message>
        <source>The store could not be cleaned up</source>
        <translation>Die Ablage konnte nicht aufgeräumt werden</translation>
    </message>
    <message>
        <source>Repairing from %1</source>
        <translation>Reparatur aus %1</translation>
    </message>
    <message>
        <source>Nothing could be repaired from %1</source>
        <translation>Aus %1 konnte nichts repariert werden</translation>
    </message>
    <message>
        <source>Repairing</source>
        <translation>Wird repariert</translation>
    </message>
    <message>
        <source>The store could not be repaired</source>
        <translation>Die Ablage konnte nicht repariert werden</translation>
    </message>
    <message>
        <source>Reading what the store says</source>
        <translation>Die Angaben der Ablage werden gelesen</translation>
    </message>
    <message>
        <source>What the store says could not be read</source>
        <translation>Die Angaben der Ablage konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Confirming what the store says</source>
        <translation>Die Angaben der Ablage werden bestätigt</translation>
    </message>
    <message>
        <source>What the store says could not be confirmed</source>
        <translation>Die Angaben der Ablage konnten nicht bestätigt werden</translation>
    </message>
</context>
<context>
    <name>strata::gui::ChangeOps</name>
    <message>
        <source>Removing %1</source>
        <translation>%1 wird entfernt</translation>
    </message>
    <message>
        <source>%1 could not be removed</source>
        <translation>%1 konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>Pruning %1</source>
        <translation>%1 wird ausgedünnt</translation>
    </message>
    <message>
        <source>%1 could not be pruned</source>
        <translation>%1 konnte nicht ausgedünnt werden</translation>
    </message>
    <message>
        <source>Renaming %1</source>
        <translation>%1 wird umbenannt</translation>
    </message>
    <message>
        <source>%1 could not be renamed</source>
        <translation>%1 konnte nicht umbenannt werden</translation>
    </message>
    <message>
        <source>Tagging %1</source>
        <translation>%1 wird markiert</translation>
    </message>
    <message>
        <source>%1 could not be tagged</source>
        <translation>%1 konnte nicht markiert werden</translation>
    </message>
    <message>
        <source>Taking the tag off %1</source>
        <translation>Die Marke %1 wird abgenommen</translation>
    </message>
    <message>
        <source>The tag %1 could not be removed</source>
        <translation>Die Marke %1 konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>Writing the note of %1</source>
        <translation>Die Notiz von %1 wird geschrieben</translation>
    </message>
    <message>
        <source>The note of %1 could not be written</source>
        <translation>Die Notiz von %1 konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Trying to recode %1</source>
        <translation>Neu kodieren von %1 wird versucht</translation>
    </message>
    <message>
        <source>Recoding %1</source>
        <translation>%1 wird neu kodiert</translation>
    </message>
    <message>
        <source>%1 could not be recoded</source>
        <translation>%1 konnte nicht neu kodiert werden</translation>
    </message>
    <message>
        <source>Reading the history</source>
        <translation>Der Verlauf wird gelesen</translation>
    </message>
    <message>
        <source>The history could not be read</source>
        <translation>Der Verlauf konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Doing again: %1</source>
        <translation>Wird wiederholt: %1</translation>
    </message>
    <message>
        <source>Taking back: %1</source>
        <translation>Wird zurückgenommen: %1</translation>
    </message>
    <message>
        <source>Could not be done again: %1</source>
        <translation>Konnte nicht wiederholt werden: %1</translation>
    </message>
    <message>
        <source>Could not be taken back: %1</source>
        <translation>Konnte nicht zurückgenommen werden: %1</translation>
    </message>
</context>
<context>
    <name>strata::gui::ChartFrame</name>
    <message>
        <source>Show as table</source>
        <translation>Als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Show %1 as table</source>
        <translation>%1 als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Save as SVG or PNG</source>
        <translation>Als SVG oder PNG sichern</translation>
    </message>
    <message>
        <source>Save %1 as a picture</source>
        <translation>%1 als Bild sichern</translation>
    </message>
    <message>
        <source>%1 as table</source>
        <translation>%1 als Tabelle</translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation>Diagramm sichern</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png)</source>
        <translation>Bilder (*.svg *.png)</translation>
    </message>
</context>
<context>
    <name>strata::gui::CommandButton</name>
    <message>
        <source>the command</source>
        <translation>der Befehl</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>There is nothing to do yet</source>
        <translation>Es gibt noch nichts zu tun</translation>
    </message>
</context>
<context>
    <name>strata::gui::ComparePage</name>
    <message>
        <source>Side A</source>
        <translation>Seite A</translation>
    </message>
    <message>
        <source>Side B</source>
        <translation>Seite B</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Tensors that differ</source>
        <translation>Abweichende Tensoren</translation>
    </message>
    <message>
        <source>Choose two sides: what changed between them appears here.</source>
        <translation>Zwei Seiten wählen: was sich zwischen ihnen geändert hat, steht dann hier.</translation>
    </message>
    <message>
        <source>No tensor differs.</source>
        <translation>Kein Tensor weicht ab.</translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation>Fortschritt des Vergleichs</translation>
    </message>
    <message>
        <source>Filter tensors by name</source>
        <translation>Tensoren nach Namen filtern</translation>
    </message>
    <message>
        <source>Swap the sides</source>
        <translation>Seiten tauschen</translation>
    </message>
    <message>
        <source>File on disk...</source>
        <translation>Datei auf der Platte ...</translation>
    </message>
    <message>
        <source>Export...</source>
        <translation>Exportieren ...</translation>
    </message>
    <message>
        <source>Show changes over</source>
        <translation>Änderungen zeigen über</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>(its base)</source>
        <translation>(ihre Basis)</translation>
    </message>
    <message>
        <source>Compare with a model on disk</source>
        <translation>Mit einem Modell auf der Platte vergleichen</translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)</source>
        <translation>Modelle (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)</translation>
    </message>
    <message>
        <source>A file has no base of its own.</source>
        <translation>Eine Datei hat keine eigene Basis.</translation>
    </message>
    <message>
        <source>Choose a version for side A.</source>
        <translation>Für Seite A eine Version wählen.</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) changed</source>
        <translation>
            <numerusform>%n Tensor geändert</numerusform>
            <numerusform>%n Tensoren geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) shown, %1 under the threshold</source>
        <translation>
            <numerusform>%n Tensor gezeigt, %1 unter der Schwelle</numerusform>
            <numerusform>%n Tensoren gezeigt, %1 unter der Schwelle</numerusform>
        </translation>
    </message>
    <message>
        <source>Export the tensors</source>
        <translation>Tensoren exportieren</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tabellen (*.csv)</translation>
    </message>
    <message>
        <source>%1 is not in this store</source>
        <translation>%1 ist nicht in dieser Ablage</translation>
    </message>
    <message>
        <source>It may have been removed or renamed. Choose another side.</source>
        <translation>Vielleicht wurde es entfernt oder umbenannt. Eine andere Seite wählen.</translation>
    </message>
    <message>
        <source>Original on disk...</source>
        <translation>Original auf dem Datenträger ...</translation>
    </message>
    <message>
        <source>The model that was added as B, as side A: the change is the error of what B restores to</source>
        <translation>Das Modell, das als B hinzugefügt wurde, als Seite A: die Änderung ist der Fehler dessen, was B wiederherstellt</translation>
    </message>
    <message>
        <source>A model on disk, as side B</source>
        <translation>Ein Modell auf dem Datenträger, als Seite B</translation>
    </message>
    <message>
        <source>Base, too</source>
        <translation>Auch Basis</translation>
    </message>
    <message>
        <source>What either version changed of its base, too: for two versions</source>
        <translation>Auch, was jede Version an ihrer Basis geändert hat: für zwei Versionen</translation>
    </message>
    <message>
        <source>From the base</source>
        <translation>Gegenüber der Basis</translation>
    </message>
</context>
<context>
    <name>strata::gui::ConfirmLoss</name>
    <message>
        <source>This cannot be undone.</source>
        <translation>Das lässt sich nicht rückgängig machen.</translation>
    </message>
</context>
<context>
    <name>strata::gui::CredentialsPane</name>
    <message>
        <source>not logged in</source>
        <translation>nicht angemeldet</translation>
    </message>
    <message>
        <source> (read only)</source>
        <translation> (nur lesbar)</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Remote</source>
        <translation>Gegenstelle</translation>
    </message>
    <message>
        <source>Of this store, by its name</source>
        <translation>Dieser Ablage, mit ihrem Namen</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>Konto</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Woher</translation>
    </message>
    <message>
        <source>Where the secret comes from; variables and files of other tools are read only</source>
        <translation>Woher das Geheimnis kommt; Variablen und Dateien anderer Programme sind nur lesbar</translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation>Zugangsdaten</translation>
    </message>
    <message>
        <source>Log in...</source>
        <translation>Anmelden ...</translation>
    </message>
    <message>
        <source>Log out</source>
        <translation>Abmelden</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Ask the server whose the secret is</source>
        <translation>Den Server fragen, wem das Geheimnis gehört</translation>
    </message>
    <message>
        <source>Logged in to %1</source>
        <translation>Bei %1 angemeldet</translation>
    </message>
    <message>
        <source>Logged in to %1 as %2</source>
        <translation>Bei %1 angemeldet als %2</translation>
    </message>
    <message>
        <source>kept in %1</source>
        <translation>liegt in: %1</translation>
    </message>
    <message>
        <source>Logged out of %1</source>
        <translation>Von %1 abgemeldet</translation>
    </message>
    <message>
        <source>Nothing was kept for %1</source>
        <translation>Für %1 war nichts aufbewahrt</translation>
    </message>
    <message>
        <source>still used: %1</source>
        <translation>weiter in Gebrauch: %1</translation>
    </message>
    <message>
        <source>%1 has a credential</source>
        <translation>%1 hat Zugangsdaten</translation>
    </message>
    <message>
        <source>%1 knows you as %2</source>
        <translation>%1 kennt Sie als %2</translation>
    </message>
</context>
<context>
    <name>strata::gui::DiffTable</name>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>verschieden</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Elements changed</source>
        <translation>Geänderte Elemente</translation>
    </message>
    <message>
        <source>Share of elements that differ in any bit</source>
        <translation>Anteil der Elemente, die in irgendeinem Bit abweichen</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>||B-A|| / ||A||</source>
        <translation>||B-A|| / ||A||</translation>
    </message>
    <message>
        <source>Largest change</source>
        <translation>Größte Änderung</translation>
    </message>
    <message>
        <source>Stored A</source>
        <translation>Belegt A</translation>
    </message>
    <message>
        <source>Bytes in the store; - outside of it</source>
        <translation>Bytes in der Ablage; - außerhalb</translation>
    </message>
    <message>
        <source>Stored B</source>
        <translation>Belegt B</translation>
    </message>
    <message>
        <source>Paired with</source>
        <translation>Gepaart mit</translation>
    </message>
    <message>
        <source>Where the tensor of A has another name or shape</source>
        <translation>Wo der Tensor von A anders heißt oder geformt ist</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>the same bytes</source>
        <translation>dieselben Bytes</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>%1 of %2 changed</source>
        <translation>%1 von %2 geändert</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>%1 changed</source>
        <translation>%1 geändert</translation>
    </message>
    <message>
        <source>no tensor in common</source>
        <translation>kein gemeinsamer Tensor</translation>
    </message>
    <message>
        <source>no size</source>
        <translation>keine Größe</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>%1 relative L2</source>
        <translation>%1 relative L2</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>Rundung</translation>
    </message>
    <message>
        <source>No counterpart</source>
        <translation>Ohne Gegenstück</translation>
    </message>
    <message>
        <source>%1 of the changes, without a counterpart in A</source>
        <translation>%1 der Änderungen, ohne Gegenstück in A</translation>
    </message>
    <message>
        <source>%1 of the changes, to %2</source>
        <translation>%1 der Änderungen, auf %2</translation>
    </message>
    <message>
        <source>Only on one side</source>
        <translation>Nur auf einer Seite</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n Tensor</numerusform>
            <numerusform>%n Tensoren</numerusform>
        </translation>
    </message>
    <message>
        <source>A from base</source>
        <translation>A zur Basis</translation>
    </message>
    <message>
        <source>Relative L2 norm of what A changed of its base</source>
        <translation>Relative L2-Norm dessen, was A an seiner Basis geändert hat</translation>
    </message>
    <message>
        <source>B from base</source>
        <translation>B zur Basis</translation>
    </message>
    <message>
        <source>Relative L2 norm of what B changed of its base</source>
        <translation>Relative L2-Norm dessen, was B an seiner Basis geändert hat</translation>
    </message>
    <message>
        <source>Relative L2 norm of the difference; - for integers and packed types</source>
        <translation>Relative L2-Norm der Differenz; - bei ganzen Zahlen und gepackten Typen</translation>
    </message>
    <message>
        <source>Of one element, in value units; - for types without numbers</source>
        <translation>Eines Elements, in Werteinheiten; - bei Typen ohne Zahlen</translation>
    </message>
</context>
<context>
    <name>strata::gui::DropOverlay</name>
    <message>
        <source>Of the web, Strata takes repositories: hf://org/repo or their pages on huggingface.co, oci:// and s3:// addresses.</source>
        <translation>Aus dem Netz nimmt Strata Repositorys: hf://org/repo oder ihre Seiten auf huggingface.co, oci://- und s3://-Adressen.</translation>
    </message>
    <message>
        <source>Drop to get versions from %1</source>
        <translation>Loslassen, um Versionen von %1 zu holen</translation>
    </message>
    <message>
        <source>Drop to look into the bundle %1</source>
        <translation>Loslassen, um in das Bündel %1 zu sehen</translation>
    </message>
    <message>
        <source>%1 is no model: Strata reads ONNX, safetensors, PyTorch and .npz files, folders with them, and bundles (.tar) one at a time.</source>
        <translation>%1 ist kein Modell: Strata liest ONNX-, safetensors-, PyTorch- und .npz-Dateien, Ordner mit solchen und einzelne Bündel (.tar).</translation>
    </message>
    <message>
        <source>Drop to add %1</source>
        <translation>Loslassen, um %1 hinzuzufügen</translation>
    </message>
    <message numerus="yes">
        <source>Drop to add %n models</source>
        <translation>
            <numerusform>Loslassen, um %n Modell hinzuzufügen</numerusform>
            <numerusform>Loslassen, um %n Modelle hinzuzufügen</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing to add.</source>
        <translation>Es gibt nichts hinzuzufügen.</translation>
    </message>
</context>
<context>
    <name>strata::gui::FilterEdit</name>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
</context>
<context>
    <name>strata::gui::FoundList</name>
    <message>
        <source>Reading what was found</source>
        <translation>Liest, was gefunden wurde</translation>
    </message>
    <message>
        <source>What was found cannot be read</source>
        <translation>Was gefunden wurde, ist nicht lesbar</translation>
    </message>
    <message>
        <source>Keeping what was found</source>
        <translation>Behält, was gefunden wurde</translation>
    </message>
    <message>
        <source>What was found cannot be kept</source>
        <translation>Was gefunden wurde, lässt sich nicht behalten</translation>
    </message>
</context>
<context>
    <name>strata::gui::HistogramChart</name>
    <message>
        <source>Distribution</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>%1 to %2: %3 numbers</source>
        <translation>%1 bis %2: %3 Zahlen</translation>
    </message>
    <message>
        <source>No distribution is shown.</source>
        <translation>Keine Verteilung wird gezeigt.</translation>
    </message>
    <message>
        <source>%1: %2 numbers from %3 to %4, mean %5, standard deviation %6, %7 zeros</source>
        <translation>%1: %2 Zahlen von %3 bis %4, Mittel %5, Standardabweichung %6, %7 Nullen</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Choose a tensor to see how its numbers are distributed</source>
        <translation>Einen Tensor wählen, um die Verteilung seiner Zahlen zu sehen</translation>
    </message>
    <message>
        <source>mean %1, deviation %2, %3 zeros</source>
        <translation>Mittel %1, Abweichung %2, %3 Nullen</translation>
    </message>
</context>
<context>
    <name>strata::gui::HistoryPage</name>
    <message>
        <source>Operations</source>
        <translation>Vorgänge</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Do again</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Nothing was done to this store yet.</source>
        <translation>Mit dieser Ablage geschah noch nichts.</translation>
    </message>
    <message>
        <source>What the operation changed</source>
        <translation>Was der Vorgang änderte</translation>
    </message>
    <message>
        <source>Filter by operation, name or version</source>
        <translation>Nach Vorgang, Name oder Version filtern</translation>
    </message>
    <message>
        <source>Choose an operation to see what it changed, and whether it can be taken back.</source>
        <translation>Einen Vorgang wählen, um zu sehen, was er änderte und ob er sich zurücknehmen lässt.</translation>
    </message>
    <message>
        <source>This cannot be taken back.</source>
        <translation>Das lässt sich nicht zurücknehmen.</translation>
    </message>
    <message numerus="yes">
        <source>... and %n more</source>
        <translation>
            <numerusform>... und %n weitere</numerusform>
            <numerusform>... und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Taken back. It had made:</source>
        <translation>Zurückgenommen. Es waren:</translation>
    </message>
    <message>
        <source>Did again: %1</source>
        <translation>Wiederholt: %1</translation>
    </message>
    <message>
        <source>Took back: %1</source>
        <translation>Zurückgenommen: %1</translation>
    </message>
</context>
<context>
    <name>strata::gui::HitTable</name>
    <message>
        <source>versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>other</source>
        <translation>anderes</translation>
    </message>
    <message>
        <source>gated: accept its terms on the web page</source>
        <translation>mit Auflagen: auf der Webseite annehmen</translation>
    </message>
    <message>
        <source>no versions that can be read</source>
        <translation>keine lesbaren Versionen</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) of %1</source>
        <translation>
            <numerusform>%n Version von %1</numerusform>
            <numerusform>%n Versionen von %1</numerusform>
        </translation>
    </message>
    <message>
        <source>; the base is here</source>
        <translation>; die Basis ist hier</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Versions as differences, or a plain model</source>
        <translation>Versionen als Differenzen oder ein einfaches Modell</translation>
    </message>
    <message>
        <source>To fetch</source>
        <translation>Zu holen</translation>
    </message>
    <message>
        <source>Bytes that are not here: of the newest version of each name and its parents</source>
        <translation>Bytes, die nicht hier sind: der neuesten Version jedes Namens und ihrer Eltern</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Abrufe</translation>
    </message>
    <message>
        <source>Updated</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
</context>
<context>
    <name>strata::gui::HubFileTable</name>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
</context>
<context>
    <name>strata::gui::HubModelOps</name>
    <message>
        <source>Reading the card of %1</source>
        <translation>Liest die Karte von %1</translation>
    </message>
    <message>
        <source>The card of %1 could not be read</source>
        <translation>Die Karte von %1 war nicht zu lesen</translation>
    </message>
    <message>
        <source>Importing %1</source>
        <translation>Importiert %1</translation>
    </message>
    <message>
        <source>%1 could not be imported</source>
        <translation>%1 war nicht zu importieren</translation>
    </message>
    <message>
        <source>Listing the files of %1</source>
        <translation>Dateien von %1 werden aufgelistet</translation>
    </message>
    <message>
        <source>The files of %1 could not be listed</source>
        <translation>Die Dateien von %1 konnten nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>Listing the versions of %1</source>
        <translation>Versionen von %1 werden aufgelistet</translation>
    </message>
    <message>
        <source>The versions of %1 could not be listed</source>
        <translation>Die Versionen von %1 konnten nicht aufgelistet werden</translation>
    </message>
</context>
<context>
    <name>strata::gui::HubPage</name>
    <message>
        <source>Only versions</source>
        <translation>Nur Versionen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Get...</source>
        <translation>Holen ...</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>Models that were found</source>
        <translation>Gefundene Modelle</translation>
    </message>
    <message>
        <source>Type what to look for and press Search.
Of repositories that Strata pushed to, only what is not here is counted.</source>
        <translation>Eintippen, was gesucht wird, und „Suchen“ drücken.
Von Repositorys, in die Strata gesendet hat, zählt nur, was nicht hier ist.</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Where to search</source>
        <translation>Wo gesucht wird</translation>
    </message>
    <message>
        <source>A remote of this store, or hf://ORG, oci://HOST, s3://BUCKET, file:///DIR</source>
        <translation>Eine Gegenstelle dieser Ablage oder hf://ORG, oci://HOST, s3://BUCKET, file:///ORDNER</translation>
    </message>
    <message>
        <source>Words in the models&apos; names</source>
        <translation>Wörter in den Namen der Modelle</translation>
    </message>
    <message>
        <source>distilbert onnx</source>
        <translation>distilbert onnx</translation>
    </message>
    <message>
        <source>Made from</source>
        <translation>Entstanden aus</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>by relevance</source>
        <translation>nach Relevanz</translation>
    </message>
    <message>
        <source>by downloads</source>
        <translation>nach Abrufen</translation>
    </message>
    <message>
        <source>by likes</source>
        <translation>nach Beliebtheit</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>neueste zuerst</translation>
    </message>
    <message>
        <source>least to fetch first</source>
        <translation>wenigstes zu holen zuerst</translation>
    </message>
    <message>
        <source>from any base</source>
        <translation>aus jeder Basis</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>aus %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nichts wurde gefunden.</translation>
    </message>
    <message numerus="yes">
        <source>%n place(s) could not be looked into</source>
        <translation>
            <numerusform>in %n Ort ließ sich nicht hineinsehen</numerusform>
            <numerusform>in %n Orte ließ sich nicht hineinsehen</numerusform>
        </translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Of what has to be fetched</source>
        <translation>Dessen, was zu holen ist</translation>
    </message>
    <message>
        <source>any size</source>
        <translation>jede Größe</translation>
    </message>
    <message>
        <source>up to 50 MB</source>
        <translation>bis 50 MB</translation>
    </message>
    <message>
        <source>up to 500 MB</source>
        <translation>bis 500 MB</translation>
    </message>
    <message>
        <source>over 500 MB</source>
        <translation>über 500 MB</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) found on %1, %2</source>
        <translation>
            <numerusform>%n Modell auf %1 gefunden, %2</numerusform>
            <numerusform>%n Modelle auf %1 gefunden, %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Stopped. What came is kept for the next try of this import.</source>
        <translation>Angehalten. Was ankam, bleibt für den nächsten Versuch dieses Imports.</translation>
    </message>
    <message>
        <source>Stored %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>%1 from %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>As the place words it; the next search asks for it, too</source>
        <translation>Wie der Ort sie nennt; auch die nächste Suche fragt danach</translation>
    </message>
    <message>
        <source>any license</source>
        <translation>jede Lizenz</translation>
    </message>
    <message>
        <source>It is fetched, checked by its hashes and stored. The bar below shows how far it is and stops it.</source>
        <translation>Es wird geholt, anhand seiner Hashes geprüft und abgelegt. Der Balken unten zeigt, wie weit es ist, und hält es an.</translation>
    </message>
</context>
<context>
    <name>strata::gui::ImportChoice</name>
    <message>
        <source>Stored as</source>
        <translation>Abgelegt als</translation>
    </message>
    <message>
        <source>As a base or a version</source>
        <translation>Als Basis oder Version</translation>
    </message>
    <message>
        <source>A base is stored in full, a version as an exact difference to a stored base</source>
        <translation>Eine Basis wird ganz abgelegt, eine Version als genaue Differenz zu einer abgelegten Basis</translation>
    </message>
    <message>
        <source>a base</source>
        <translation>eine Basis</translation>
    </message>
    <message>
        <source>a version of the best base</source>
        <translation>Version der besten Basis</translation>
    </message>
    <message>
        <source>a version of %1</source>
        <translation>Version von %1</translation>
    </message>
</context>
<context>
    <name>strata::gui::Job</name>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
</context>
<context>
    <name>strata::gui::JobStrip</name>
    <message>
        <source>Progress of the running job</source>
        <translation>Fortschritt des laufenden Auftrags</translation>
    </message>
    <message>
        <source>Stop the running job</source>
        <translation>Den laufenden Auftrag anhalten</translation>
    </message>
    <message numerus="yes">
        <source>, %n waiting</source>
        <translation>
            <numerusform>, %n wartet</numerusform>
            <numerusform>, %n warten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::LayerChart</name>
    <message>
        <source>Bits per layer</source>
        <translation>Bits je Schicht</translation>
    </message>
    <message>
        <source>%1: %2 bits per element, %3 stored (%4 as differences, %5 as new tensors)</source>
        <translation>%1: %2 Bits je Element, %3 belegt (%4 als Differenzen, %5 als neue Tensoren)</translation>
    </message>
    <message>
        <source>There are no layers.</source>
        <translation>Es gibt keine Schichten.</translation>
    </message>
    <message numerus="yes">
        <source>Stored bits per element in %n layer(s); most in %1 with %2</source>
        <translation>
            <numerusform>Belegte Bits je Element in %n Schicht; am meisten in %1 mit %2</numerusform>
            <numerusform>Belegte Bits je Element in %n Schichten; am meisten in %1 mit %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Differenzen</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>No tensors</source>
        <translation>Keine Tensoren</translation>
    </message>
    <message>
        <source>bits per element</source>
        <translation>Bits je Element</translation>
    </message>
    <message>
        <source>differences</source>
        <translation>Differenzen</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
</context>
<context>
    <name>strata::gui::LibraryPage</name>
    <message>
        <source>Filter by name, tag, hash, note or base   (Ctrl+F)</source>
        <translation>Nach Name, Marke, Hash, Notiz oder Basis filtern   (Strg+F)</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>No models are stored here yet.
Drop an .onnx or .safetensors file into this window, or press Add.</source>
        <translation>Hier sind noch keine Modelle gespeichert.
Eine .onnx- oder .safetensors-Datei in dieses Fenster ziehen oder „Hinzufügen“ drücken.</translation>
    </message>
    <message>
        <source>No version matches. Esc clears the filter.</source>
        <translation>Keine Version passt. Esc leert den Filter.</translation>
    </message>
    <message>
        <source>Opening the store...</source>
        <translation>Die Ablage wird geöffnet ...</translation>
    </message>
    <message>
        <source>All versions were checked lately.
How long a check counts is the setting verify.days.</source>
        <translation>Alle Versionen wurden kürzlich geprüft.
Wie lange eine Prüfung gilt, sagt die Einstellung verify.days.</translation>
    </message>
</context>
<context>
    <name>strata::gui::LineageModel</name>
    <message numerus="yes">
        <source>%1  (%n versions)</source>
        <translation>
            <numerusform>%1  (%n Version)</numerusform>
            <numerusform>%1  (%n Versionen)</numerusform>
        </translation>
    </message>
    <message>
        <source>base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>Press Enter to show them</source>
        <translation>Die Eingabetaste zeigt sie</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Bases, and the versions tuned from them</source>
        <translation>Basen und die Versionen, die aus ihnen entstanden</translation>
    </message>
    <message>
        <source>Names for one version, such as prod</source>
        <translation>Namen für eine Version, wie prod</translation>
    </message>
    <message>
        <source>Bytes of the model&apos;s files as given</source>
        <translation>Bytes der Dateien des Modells, wie sie kamen</translation>
    </message>
    <message>
        <source>Bytes that only this version added to the store</source>
        <translation>Bytes, die nur diese Version zur Ablage beitrug</translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation>Original / belegt; die Basis zählt nicht mit</translation>
    </message>
    <message>
        <source>L2 norm of the difference to the parent, relative to the parent; of floating-point weights</source>
        <translation>L2-Norm der Differenz zum Elter, relativ zum Elter; von Gleitkommagewichten</translation>
    </message>
    <message>
        <source>Exact versions come back byte for byte</source>
        <translation>Exakte Versionen kommen Byte für Byte zurück</translation>
    </message>
    <message>
        <source>When the version was added</source>
        <translation>Wann die Version hinzukam</translation>
    </message>
    <message numerus="yes">
        <source>... and %n more</source>
        <translation>
            <numerusform>... und noch %n</numerusform>
            <numerusform>... und noch %n</numerusform>
        </translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>%1 of %2 not here</source>
        <translation>%1 von %2 nicht hier</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Whether a version can be restored without fetching packs first</source>
        <translation>Ob eine Version wiederhergestellt werden kann, ohne vorher Pakete zu holen</translation>
    </message>
    <message>
        <source>DAMAGED in part</source>
        <translation>zum Teil BESCHÄDIGT</translation>
    </message>
    <message>
        <source>DAMAGED</source>
        <translation>BESCHÄDIGT</translation>
    </message>
</context>
<context>
    <name>strata::gui::LineageView</name>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
</context>
<context>
    <name>strata::gui::LoginDialog</name>
    <message>
        <source>Log in to %1</source>
        <translation>Bei %1 anmelden</translation>
    </message>
    <message>
        <source>Access key id</source>
        <translation>Kennung des Zugriffsschlüssels</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>Benutzername</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Secret access key</source>
        <translation>Geheimer Zugriffsschlüssel</translation>
    </message>
    <message>
        <source>Password or token</source>
        <translation>Passwort oder Token</translation>
    </message>
    <message>
        <source>It is kept in the keychain, or where there is none in a file that only you can read. Strata never shows it.</source>
        <translation>Es liegt im Schlüsselbund oder, wo es keinen gibt, in einer Datei, die nur Sie lesen können. Strata zeigt es nie.</translation>
    </message>
    <message>
        <source>Log in</source>
        <translation>Anmelden</translation>
    </message>
</context>
<context>
    <name>strata::gui::MainWindow</name>
    <message>
        <source>Strata</source>
        <translation>Strata</translation>
    </message>
    <message>
        <source>The language changes when the window is opened anew.</source>
        <translation>Die Sprache wechselt, wenn das Fenster neu geöffnet wird.</translation>
    </message>
    <message>
        <source>Open it anew</source>
        <translation>Neu öffnen</translation>
    </message>
    <message>
        <source>Strata - %1</source>
        <translation>Strata - %1</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s)</source>
        <translation>
            <numerusform>%n Version</numerusform>
            <numerusform>%n Versionen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n base(s)</source>
        <translation>
            <numerusform>%n Basis</numerusform>
            <numerusform>%n Basen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 on disk</source>
        <translation>%1 auf der Platte</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Saving preferences</source>
        <translation>Einstellungen des Fensters werden gesichert</translation>
    </message>
    <message>
        <source>The preferences could not be saved</source>
        <translation>Die Einstellungen des Fensters konnten nicht gesichert werden</translation>
    </message>
    <message>
        <source>&amp;Add...</source>
        <translation>&amp;Hinzufügen ...</translation>
    </message>
    <message>
        <source>&amp;Open store...</source>
        <translation>Ablage &amp;öffnen ...</translation>
    </message>
    <message>
        <source>New &amp;store...</source>
        <translation>&amp;Neue Ablage ...</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Copy &amp;hash</source>
        <translation>&amp;Hash kopieren</translation>
    </message>
    <message>
        <source>the hash</source>
        <translation>der Hash</translation>
    </message>
    <message>
        <source>&amp;Filter</source>
        <translation>&amp;Filtern</translation>
    </message>
    <message>
        <source>&amp;Library</source>
        <translation>&amp;Bibliothek</translation>
    </message>
    <message>
        <source>Alt+1</source>
        <translation>Alt+1</translation>
    </message>
    <message>
        <source>&amp;Tagged</source>
        <translation>&amp;Markierte</translation>
    </message>
    <message>
        <source>Alt+2</source>
        <translation>Alt+2</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>Alt+3</source>
        <translation>Alt+3</translation>
    </message>
    <message>
        <source>&amp;Storage</source>
        <translation>&amp;Speicherplatz</translation>
    </message>
    <message>
        <source>Alt+4</source>
        <translation>Alt+4</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>&amp;Aktualisieren</translation>
    </message>
    <message>
        <source>&amp;Next pane</source>
        <translation>&amp;Nächster Bereich</translation>
    </message>
    <message>
        <source>F6</source>
        <translation>F6</translation>
    </message>
    <message>
        <source>&amp;Previous pane</source>
        <translation>&amp;Voriger Bereich</translation>
    </message>
    <message>
        <source>Shift+F6</source>
        <translation>Shift+F6</translation>
    </message>
    <message>
        <source>&amp;Details</source>
        <translation>&amp;Einzelheiten</translation>
    </message>
    <message>
        <source>Ctrl+I</source>
        <translation>Ctrl+I</translation>
    </message>
    <message>
        <source>&amp;Restore...</source>
        <translation>&amp;Wiederherstellen ...</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Ctrl+R</translation>
    </message>
    <message>
        <source>Ctrl+D</source>
        <translation>Ctrl+D</translation>
    </message>
    <message>
        <source>Compare with its &amp;base</source>
        <translation>Mit der &amp;Basis vergleichen</translation>
    </message>
    <message>
        <source>&amp;Tag...</source>
        <translation>&amp;Marke ...</translation>
    </message>
    <message>
        <source>Ctrl+T</source>
        <translation>Ctrl+T</translation>
    </message>
    <message>
        <source>&amp;Move to trash</source>
        <translation>In den &amp;Papierkorb</translation>
    </message>
    <message>
        <source>Copy as co&amp;mmand</source>
        <translation>Als Be&amp;fehl kopieren</translation>
    </message>
    <message>
        <source>&amp;Push...</source>
        <translation>&amp;Senden ...</translation>
    </message>
    <message>
        <source>Ctrl+Shift+P</source>
        <translation>Ctrl+Shift+P</translation>
    </message>
    <message>
        <source>Pu&amp;ll...</source>
        <translation>Ho&amp;len ...</translation>
    </message>
    <message>
        <source>Ctrl+Shift+L</source>
        <translation>Ctrl+Shift+L</translation>
    </message>
    <message>
        <source>&amp;Transfers</source>
        <translation>Ü&amp;bertragungen</translation>
    </message>
    <message>
        <source>Ctrl+L</source>
        <translation>Ctrl+L</translation>
    </message>
    <message>
        <source>&amp;Verify store</source>
        <translation>Ablage &amp;prüfen</translation>
    </message>
    <message>
        <source>&amp;Tune a model...</source>
        <translation>Modell ab&amp;stimmen ...</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>&amp;Einstellungen</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>&amp;About Strata</source>
        <translation>Ü&amp;ber Strata</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>Ve&amp;rsion</source>
        <translation>&amp;Version</translation>
    </message>
    <message>
        <source>Re&amp;mote</source>
        <translation>&amp;Gegenstelle</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>&amp;Werkzeuge</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>A folder for the new store</source>
        <translation>Ein Ordner für die neue Ablage</translation>
    </message>
    <message>
        <source>Open a store</source>
        <translation>Ablage öffnen</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>&lt;p&gt;Charts: arrows walk through the points. Lists: Ctrl+C copies, Esc clears.&lt;/p&gt;</source>
        <translation>&lt;p&gt;Diagramme: Pfeiltasten wandern durch die Punkte. Listen: Strg+C kopiert, Esc leert.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>About Strata</source>
        <translation>Über Strata</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Strata %1&lt;/h3&gt;&lt;p&gt;Stores fine-tuned models as small differences to their base.&lt;/p&gt;&lt;p&gt;Apache License 2.0. Uses Qt %2.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Strata %1&lt;/h3&gt;&lt;p&gt;Speichert nachtrainierte Modelle als kleine Differenzen zu ihrer Basis.&lt;/p&gt;&lt;p&gt;Apache-Lizenz 2.0. Benutzt Qt %2.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Search &amp;hubs...</source>
        <translation>&amp;Hubs durchsuchen ...</translation>
    </message>
    <message>
        <source>Ctrl+H</source>
        <translation>Ctrl+H</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) not here: %1 to fetch</source>
        <translation>
            <numerusform>%n Version nicht hier: %1 zu holen</numerusform>
            <numerusform>%n Versionen nicht hier: %1 zu holen</numerusform>
        </translation>
    </message>
    <message>
        <source>Add a small &amp;sample</source>
        <translation>Kleines &amp;Beispiel hinzufügen</translation>
    </message>
    <message numerus="yes">
        <source>The sample is stored: the base %1 and %n version(s) tuned from it</source>
        <translation>
            <numerusform>Das Beispiel ist gespeichert: die Basis %1 und %n davon abgeleitete Version</numerusform>
            <numerusform>Das Beispiel ist gespeichert: die Basis %1 und %n davon abgeleitete Versionen</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare two of them, restore one to a file, or look at its tensors.</source>
        <translation>Vergleichen Sie zwei davon, stellen Sie eine als Datei wieder her, oder sehen Sie sich ihre Tensoren an.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Restore...</source>
        <translation>Wiederherstellen...</translation>
    </message>
    <message>
        <source>Re&amp;name...</source>
        <translation>Umbe&amp;nennen ...</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Zurücknehmen</translation>
    </message>
    <message>
        <source>Re&amp;do</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;History</source>
        <translation>&amp;Verlauf</translation>
    </message>
    <message>
        <source>Alt+5</source>
        <translation>Alt+5</translation>
    </message>
    <message>
        <source>N&amp;ote...</source>
        <translation>N&amp;otiz ...</translation>
    </message>
    <message>
        <source>Ctrl+E</source>
        <translation>Ctrl+E</translation>
    </message>
    <message>
        <source>R&amp;ecode...</source>
        <translation>Neu &amp;kodieren ...</translation>
    </message>
    <message>
        <source>&amp;Prune versions...</source>
        <translation>Versionen ausdü&amp;nnen ...</translation>
    </message>
    <message>
        <source>&amp;Undo %1</source>
        <translation>&amp;Zurücknehmen: %1</translation>
    </message>
    <message>
        <source>Re&amp;do %1</source>
        <translation>&amp;Wiederholen: %1</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
</context>
<context>
    <name>strata::gui::NoteDialog</name>
    <message>
        <source>Edit the note (Ctrl+E)</source>
        <translation>Die Notiz ändern (Strg+E)</translation>
    </message>
    <message>
        <source>Edit the note</source>
        <translation>Die Notiz ändern</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Sichern</translation>
    </message>
    <message>
        <source>Note of %1</source>
        <translation>Notiz von %1</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Nothing else of the version changes. The next push sends the note to the remote.</source>
        <translation>Sonst ändert sich an der Version nichts. Die nächste Übertragung sendet die Notiz an die Gegenstelle.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Notes have at most 10,000 bytes.</source>
        <translation>Notizen haben höchstens 10.000 Bytes.</translation>
    </message>
</context>
<context>
    <name>strata::gui::ObjectTable</name>
    <message numerus="yes">
        <source> and %n more</source>
        <translation>
            <numerusform> und noch %n</numerusform>
            <numerusform> und noch %n</numerusform>
        </translation>
    </message>
    <message>
        <source>trash: %1</source>
        <translation>Papierkorb: %1</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>DAMAGED: %1</source>
        <translation>BESCHÄDIGT: %1</translation>
    </message>
    <message>
        <source>ok</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>noch nicht geprüft</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>Objekt</translation>
    </message>
    <message>
        <source>The first digits of its SHA-256</source>
        <translation>Die ersten Ziffern seiner SHA-256</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>A pack holds coded tensors, a manifest lists them</source>
        <translation>Ein Paket enthält kodierte Tensoren, ein Manifest zählt sie auf</translation>
    </message>
    <message>
        <source>manifest</source>
        <translation>Manifest</translation>
    </message>
    <message>
        <source>pack</source>
        <translation>Paket</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>Gebraucht von</translation>
    </message>
    <message>
        <source>Versions whose manifests name it</source>
        <translation>Versionen, deren Manifeste es nennen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>not here yet</source>
        <translation>noch nicht hier</translation>
    </message>
    <message>
        <source>Last check</source>
        <translation>Letzte Prüfung</translation>
    </message>
    <message>
        <source>When a version that needs it was last found sound</source>
        <translation>Wann eine Version, die es braucht, zuletzt heil war</translation>
    </message>
    <message>
        <source>What the last check found</source>
        <translation>Was die letzte Prüfung fand</translation>
    </message>
</context>
<context>
    <name>strata::gui::OpenOutside</name>
    <message>
        <source>%1 could not be opened</source>
        <translation>%1 konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>No program for it was found here. Desktops bring one in the package xdg-utils.</source>
        <translation>Dafür wurde hier kein Programm gefunden. Desktops bringen eines im Paket xdg-utils mit.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
</context>
<context>
    <name>strata::gui::OperationTable</name>
    <message>
        <source>add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>prune</source>
        <translation>Ausdünnen</translation>
    </message>
    <message>
        <source>rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>Markieren</translation>
    </message>
    <message>
        <source>tag remove</source>
        <translation>Abnehmen der Marke</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>source</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>trash restore</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>trash empty</source>
        <translation>Leeren des Papierkorbs</translation>
    </message>
    <message>
        <source>recode</source>
        <translation>Neu kodieren</translation>
    </message>
    <message>
        <source>pull</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>gc</source>
        <translation>Aufräumen</translation>
    </message>
    <message>
        <source>repair</source>
        <translation>Reparatur</translation>
    </message>
    <message>
        <source>undo</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>out of the trash</source>
        <translation>aus dem Papierkorb</translation>
    </message>
    <message>
        <source>to the trash</source>
        <translation>in den Papierkorb</translation>
    </message>
    <message>
        <source>coded anew</source>
        <translation>neu kodiert</translation>
    </message>
    <message>
        <source>no note</source>
        <translation>keine Notiz</translation>
    </message>
    <message>
        <source>note &quot;%1&quot;</source>
        <translation>Notiz „%1“</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>tag %1: %2 instead of %3</source>
        <translation>Marke %1: %2 statt %3</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 und %n weitere</numerusform>
            <numerusform>%1 und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>an operation and what it was about</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 is called %2</source>
        <translation>%1 heißt %2</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>The number that undo and redo of the command line take</source>
        <translation>Die Nummer, die undo und redo der Befehlszeile nehmen</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Vorgang</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Woran</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>taken back</source>
        <translation>zurückgenommen</translation>
    </message>
</context>
<context>
    <name>strata::gui::Parity</name>
    <message>
        <source>Parity: off</source>
        <translation>Parität: aus</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message numerus="yes">
        <source>Parity %1: %n object(s) (%2) are protected by %3 of parity</source>
        <translation>
            <numerusform>Parität %1: %n Objekt (%2) ist durch %3 Parität geschützt</numerusform>
            <numerusform>Parität %1: %n Objekte (%2) sind durch %3 Parität geschützt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n object(s) are not protected yet</source>
        <translation>
            <numerusform>; %n Objekt ist noch nicht geschützt</numerusform>
            <numerusform>; %n Objekte sind noch nicht geschützt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; it protects less, as %n object(s) that it was computed of are not here</source>
        <translation>
            <numerusform>; sie schützt weniger, denn %n Objekt, aus dem sie berechnet wurde, ist nicht da</numerusform>
            <numerusform>; sie schützt weniger, denn %n Objekte, aus denen sie berechnet wurde, sind nicht da</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::PlaceList</name>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Tagged</source>
        <translation>Markierte</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Remotes</source>
        <translation>Gegenstellen</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Übertragungen</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicherplatz</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Orte</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Unchecked</source>
        <translation>Ungeprüft</translation>
    </message>
    <message>
        <source>never asked</source>
        <translation>nie gefragt</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) to push</source>
        <translation>
            <numerusform>%n Version zu senden</numerusform>
            <numerusform>%n Versionen zu senden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n to pull</source>
        <translation>
            <numerusform>%n zu holen</numerusform>
            <numerusform>%n zu holen</numerusform>
        </translation>
    </message>
    <message>
        <source>as of %1</source>
        <translation>Stand %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tag(s) to push</source>
        <translation>
            <numerusform>%n Marke zu senden</numerusform>
            <numerusform>%n Marken zu senden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tag(s) to pull</source>
        <translation>
            <numerusform>%n Marke zu holen</numerusform>
            <numerusform>%n Marken zu holen</numerusform>
        </translation>
    </message>
    <message>
        <source>Versions that were neither verified nor added lately, and damaged ones: the setting verify.days says how long a check counts</source>
        <translation>Versionen, die in letzter Zeit weder geprüft noch hinzugefügt wurden, und beschädigte: Die Einstellung verify.days sagt, wie lange eine Prüfung gilt</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
</context>
<context>
    <name>strata::gui::Preview</name>
    <message>
        <source>Previewing settings for %1</source>
        <translation>Vorschau der Einstellungen für %1</translation>
    </message>
    <message>
        <source>The settings could not be previewed</source>
        <translation>Es gibt keine Vorschau dieser Einstellungen</translation>
    </message>
</context>
<context>
    <name>strata::gui::Problem</name>
    <message>
        <source>It may have been removed or renamed since; refresh the list.</source>
        <translation>Vielleicht wurde es inzwischen entfernt oder umbenannt; die Liste aktualisieren.</translation>
    </message>
    <message>
        <source>Strata reads ONNX, safetensors, PyTorch and .npz files, and folders with them.</source>
        <translation>Strata liest ONNX-, safetensors-, PyTorch- und .npz-Dateien und Ordner mit solchen.</translation>
    </message>
    <message>
        <source>Check the store to see what else is damaged. Adding the same model again repairs a damaged version.</source>
        <translation>Die Ablage prüfen, um zu sehen, was noch beschädigt ist. Dasselbe Modell noch einmal hinzuzufügen repariert eine beschädigte Version.</translation>
    </message>
    <message>
        <source>Make a store there, or open another one.</source>
        <translation>Dort eine Ablage anlegen oder eine andere öffnen.</translation>
    </message>
    <message>
        <source>Try again when the other program has finished. Reading goes on meanwhile.</source>
        <translation>Noch einmal versuchen, wenn das andere Programm fertig ist. Lesen geht inzwischen weiter.</translation>
    </message>
    <message>
        <source>Install the Strata version that wrote it, or a newer one.</source>
        <translation>Die Strata-Version installieren, die sie schrieb, oder eine neuere.</translation>
    </message>
    <message>
        <source>Check the connection and try again; what was transferred is kept.</source>
        <translation>Die Verbindung prüfen und noch einmal versuchen; was übertragen ist, bleibt.</translation>
    </message>
    <message>
        <source>Its last lines stand above. Run the evaluator by hand to see more.</source>
        <translation>Seine letzten Zeilen stehen oben. Den Bewerter von Hand starten, um mehr zu sehen.</translation>
    </message>
    <message>
        <source>This is a bug in Strata; please report it.</source>
        <translation>Das ist ein Fehler in Strata; bitte melden.</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>not possible</comment>
        <translation>Nicht möglich: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>not found</comment>
        <translation>Nicht gefunden: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>a kind of file that is not read</comment>
        <translation>Nicht lesbar: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>damaged</comment>
        <translation>Beschädigt: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>another base</comment>
        <translation>Falsche Basis: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>too much memory</comment>
        <translation>Zu wenig Arbeitsspeicher erlaubt: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>disk full</comment>
        <translation>Kein Platz mehr: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>no store</comment>
        <translation>Keine Ablage an diesem Ort: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>store locked</comment>
        <translation>Ablage gesperrt: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>newer format</comment>
        <translation>Neueres Format: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>login needed</comment>
        <translation>Anmeldung nötig: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>file operation refused</comment>
        <translation>Datei nicht zugänglich: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>network</comment>
        <translation>Netz oder Server: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>accelerator</comment>
        <translation>Beschleuniger: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>evaluator</comment>
        <translation>Bewerter: %1</translation>
    </message>
    <message>
        <source>%1</source>
        <comment>bug</comment>
        <translation>Fehler in Strata: %1</translation>
    </message>
    <message>
        <source>Log in to the server again, with a credential that is allowed to do this.</source>
        <translation>Am Server neu anmelden, mit Zugangsdaten, die das dürfen.</translation>
    </message>
    <message>
        <source>Add the model that it was made from as a base, or have it pushed there, then try again.</source>
        <translation>Das Modell, aus dem sie entstand, als Basis hinzufügen oder es dorthin senden lassen, dann noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Free space on that disk; nothing was lost.</source>
        <translation>Geben Sie auf diesem Datenträger Platz frei; nichts ging verloren.</translation>
    </message>
</context>
<context>
    <name>strata::gui::PruneDialog</name>
    <message>
        <source>Emptying the trash then frees %1.</source>
        <translation>Den Papierkorb zu leeren gibt dann %1 frei.</translation>
    </message>
    <message>
        <source>Emptying the trash then frees %1, %2 of it by this.</source>
        <translation>Den Papierkorb zu leeren gibt dann %1 frei, davon %2 hierdurch.</translation>
    </message>
    <message>
        <source>%1 stay, because other versions are differences to what goes.</source>
        <translation>%1 bleiben, weil andere Versionen Differenzen zu dem sind, was geht.</translation>
    </message>
    <message>
        <source>%1 stay, because other versions have them, too.</source>
        <translation>%1 bleiben, weil andere Versionen sie auch haben.</translation>
    </message>
    <message>
        <source>the newest</source>
        <translation>die neuesten</translation>
    </message>
    <message>
        <source>How many of the newest stay</source>
        <translation>Wie viele der neuesten bleiben</translation>
    </message>
    <message>
        <source>every so many</source>
        <translation>jede sovielte</translation>
    </message>
    <message>
        <source>Versions whose number this divides stay</source>
        <translation>Versionen, deren Nummer sich dadurch teilen lässt, bleiben</translation>
    </message>
    <message>
        <source>those with a tag</source>
        <translation>die mit einer Marke</translation>
    </message>
    <message>
        <source>the best by stored scores</source>
        <translation>die besten nach gespeicherter Bewertung</translation>
    </message>
    <message>
        <source>What goes and what stays</source>
        <translation>Was geht und was bleibt</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Prune versions</source>
        <translation>Versionen ausdünnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>* and ? stand for any characters and for one; several names with spaces</source>
        <translation>* und ? stehen für beliebige Zeichen und für eines; mehrere Namen mit Leerzeichen</translation>
    </message>
    <message>
        <source>What stays</source>
        <translation>Was bleibt</translation>
    </message>
    <message>
        <source>Which name?</source>
        <translation>Welcher Name?</translation>
    </message>
    <message>
        <source>Choose at least one rule for what stays.</source>
        <translation>Mindestens eine Regel wählen, was bleibt.</translation>
    </message>
    <message numerus="yes">
        <source>Would move %n version(s) of %1 to the trash.</source>
        <translation>
            <numerusform>In den Papierkorb käme %n Version von %1.</numerusform>
            <numerusform>In den Papierkorb kämen %n Versionen von %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::PruneTable</name>
    <message>
        <source>newest %1</source>
        <translation>neueste %1</translation>
    </message>
    <message>
        <source>every %1</source>
        <translation>jede %1.</translation>
    </message>
    <message>
        <source>tag %1</source>
        <translation>Marke %1</translation>
    </message>
    <message>
        <source>best %1</source>
        <translation>beste %1</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>goes</source>
        <translation>geht</translation>
    </message>
    <message>
        <source>stays</source>
        <translation>bleibt</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>The rules that keep it</source>
        <translation>Die Regeln, nach denen sie bleibt</translation>
    </message>
</context>
<context>
    <name>strata::gui::PullPane</name>
    <message>
        <source>%1 free on the disk of the store, %2 afterwards</source>
        <translation>%1 frei auf dem Datenträger der Ablage, danach %2</translation>
    </message>
    <message>
        <source>%1 of it came with an earlier try</source>
        <translation>%1 davon kamen schon mit einem früheren Versuch</translation>
    </message>
    <message>
        <source>Brings what is missing of %1</source>
        <translation>Bringt, was zu %1 fehlt</translation>
    </message>
    <message>
        <source>Here already: %1</source>
        <translation>Schon hier: %1</translation>
    </message>
    <message>
        <source>Also fetches what the remote does not hold: %1</source>
        <translation>Holt auch, was die Gegenstelle nicht hat: %1</translation>
    </message>
    <message>
        <source>Cannot come: %1</source>
        <translation>Kann nicht kommen: %1</translation>
    </message>
    <message>
        <source>What else there is to know</source>
        <translation>Was sonst zu wissen ist</translation>
    </message>
    <message>
        <source>Versions to pull</source>
        <translation>Zu holende Versionen</translation>
    </message>
    <message>
        <source>Only manifests: the rest comes when it is needed</source>
        <translation>Nur Manifeste: Der Rest kommt, wenn er gebraucht wird</translation>
    </message>
    <message>
        <source>Pull</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>No version comes that is not here.</source>
        <translation>Es kommt keine Version, die nicht schon hier ist.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message numerus="yes">
        <source>Would fetch %1 from %2: %n version(s)</source>
        <translation>
            <numerusform>Würde %1 von %2 holen: %n Version</numerusform>
            <numerusform>Würde %1 von %2 holen: %n Versionen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::PulledTable</name>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Fetches</source>
        <translation>Holt</translation>
    </message>
    <message>
        <source>Bytes that are not here and this version brings along</source>
        <translation>Bytes, die hier fehlen und mit dieser Version kommen</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Bytes of the model&apos;s files as given</source>
        <translation>Bytes der Dateien des Modells, wie sie kamen</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>lossy</source>
        <translation>verlustbehaftet</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
</context>
<context>
    <name>strata::gui::PushChoice</name>
    <message>
        <source>Bytes that the remote lacks and this version brings along</source>
        <translation>Bytes, die der Gegenstelle fehlen und die diese Version mitbringt</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Sends</source>
        <translation>Sendet</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
</context>
<context>
    <name>strata::gui::PushPane</name>
    <message>
        <source>Versions to push</source>
        <translation>Zu sendende Versionen</translation>
    </message>
    <message>
        <source>A new repository is</source>
        <translation>Ein neues Repositorium ist</translation>
    </message>
    <message>
        <source>Push</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>private</source>
        <translation>privat</translation>
    </message>
    <message>
        <source>public</source>
        <translation>öffentlich</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>%1 are there already</source>
        <translation>%1 sind schon da</translation>
    </message>
    <message>
        <source>Cannot go: %1</source>
        <translation>Kann nicht gehen: %1</translation>
    </message>
    <message>
        <source>Move the tags that point elsewhere there: %1</source>
        <translation>Tags versetzen, die dort woanders hin zeigen: %1</translation>
    </message>
    <message>
        <source>Tags there as here: %1</source>
        <translation>Tags dort wie hier: %1</translation>
    </message>
    <message>
        <source>Tag %1 would be %2 there</source>
        <translation>Tag %1 wäre dort %2</translation>
    </message>
    <message>
        <source>Tag %1 would be %2 there, before %3</source>
        <translation>Tag %1 wäre dort %2, vorher %3</translation>
    </message>
    <message>
        <source>Tag %1 was moved there; a pull brings it</source>
        <translation>Tag %1 wurde dort versetzt; ein Pull bringt ihn</translation>
    </message>
    <message>
        <source>Tag %1 was taken off there and stays off</source>
        <translation>Tag %1 wurde dort abgenommen und bleibt es</translation>
    </message>
    <message>
        <source>Tag %1 is not there and stays off; whether it was taken off is not known here</source>
        <translation>Tag %1 fehlt dort und bleibt es; ob er abgenommen wurde, ist hier nicht bekannt</translation>
    </message>
    <message>
        <source>Tag %1 was removed here and is still there</source>
        <translation>Tag %1 wurde hier entfernt und ist noch dort</translation>
    </message>
    <message>
        <source>The note of %1 would go</source>
        <translation>Die Notiz von %1 ginge mit</translation>
    </message>
    <message>
        <source>%1 has another note there, and each side keeps its own</source>
        <translation>%1 hat dort eine andere Notiz, und jede Seite behält ihre</translation>
    </message>
    <message>
        <source>The note of %1 was edited there; a pull brings it</source>
        <translation>Die Notiz von %1 wurde dort geändert; ein Pull bringt sie</translation>
    </message>
    <message>
        <source>%1 may have other permissions there, and each side keeps its own</source>
        <translation>%1 hat dort vielleicht andere Rechte, und jede Seite behält ihre</translation>
    </message>
    <message>
        <source>Would send %1 in %2 packs and %3 manifests to %4</source>
        <translation>Würde %1 in %2 Packs und %3 Manifesten an %4 senden</translation>
    </message>
    <message numerus="yes">
        <source>Would send %n version(s), %1, to %2</source>
        <translation>
            <numerusform>Würde %n Version, %1, an %2 senden</numerusform>
            <numerusform>Würde %n Versionen, %1, an %2 senden</numerusform>
        </translation>
    </message>
    <message>
        <source>Move tags</source>
        <translation>Tags versetzen</translation>
    </message>
    <message>
        <source>What else there is to know</source>
        <translation>Was sonst zu wissen ist</translation>
    </message>
</context>
<context>
    <name>strata::gui::QuitQuestion</name>
    <message>
        <source>Quit Strata</source>
        <translation>Strata beenden</translation>
    </message>
    <message numerus="yes">
        <source>%n unfinished task(s). Quit all the same?</source>
        <translation>
            <numerusform>%n Aufgabe ist noch nicht fertig. Trotzdem beenden?</numerusform>
            <numerusform>%n Aufgaben sind noch nicht fertig. Trotzdem beenden?</numerusform>
        </translation>
    </message>
    <message>
        <source>Transfers go on where they stopped once the window is open again. What else runs is stopped: the store stays as it was before, and so do your files.</source>
        <translation>Übertragungen gehen da weiter, wo sie aufhörten, sobald das Fenster wieder offen ist. Was sonst läuft, wird angehalten: Die Ablage bleibt, wie sie vorher war, und Ihre Dateien auch.</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Bleiben</translation>
    </message>
    <message>
        <source>Push to %1</source>
        <translation>Senden an %1</translation>
    </message>
    <message>
        <source>Pull from %1</source>
        <translation>Holen von %1</translation>
    </message>
</context>
<context>
    <name>strata::gui::RecodeDialog</name>
    <message>
        <source>Stored in full, before as a difference to %1.</source>
        <translation>Ganz gespeichert, vorher als Differenz zu %1.</translation>
    </message>
    <message>
        <source>A difference to %1, before in full.</source>
        <translation>Eine Differenz zu %1, vorher ganz.</translation>
    </message>
    <message>
        <source>A difference to %1, before to %2.</source>
        <translation>Eine Differenz zu %1, vorher zu %2.</translation>
    </message>
    <message>
        <source>%1 is coded like this already, in %2.</source>
        <translation>%1 ist schon so kodiert, in %2.</translation>
    </message>
    <message>
        <source>%1 would take %2 instead of %3: it stays as it is.</source>
        <translation>%1 würde %2 statt %3 belegen: sie bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>%1 would take %2 instead of %3.</source>
        <translation>%1 würde %2 statt %3 belegen.</translation>
    </message>
    <message>
        <source>%1 takes %2 now, %3 before.</source>
        <translation>%1 belegt jetzt %2, vorher %3.</translation>
    </message>
    <message>
        <source>These share its objects, and come along: %1</source>
        <translation>Diese teilen ihre Objekte und kommen mit: %1</translation>
    </message>
    <message>
        <source>Also where it becomes larger</source>
        <translation>Auch wenn sie größer wird</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>Probieren</translation>
    </message>
    <message>
        <source>Recode</source>
        <translation>Neu kodieren</translation>
    </message>
    <message>
        <source>Recode %1</source>
        <translation>%1 neu kodieren</translation>
    </message>
    <message>
        <source>Content, number, tags, note and dates stay, and so do differences to it. What is coded is decoded and compared first. Remotes keep what they have.</source>
        <translation>Inhalt, Nummer, Marken, Notiz und Daten bleiben, ebenso die Differenzen zu ihr. Was kodiert wurde, wird erst dekodiert und verglichen. Gegenstellen behalten, was sie haben.</translation>
    </message>
    <message>
        <source>%1 stored, in full</source>
        <translation>%1 belegt, ganz gespeichert</translation>
    </message>
    <message>
        <source>%1 stored, a difference to %2</source>
        <translation>%1 belegt, eine Differenz zu %2</translation>
    </message>
    <message>
        <source>Progress of the try</source>
        <translation>Fortschritt des Versuchs</translation>
    </message>
    <message>
        <source>Code and compare, write nothing; takes as long as recoding</source>
        <translation>Kodieren und vergleichen, nichts schreiben; dauert so lange wie neu kodieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>A difference to</source>
        <translation>Eine Differenz zu</translation>
    </message>
    <message>
        <source>Effort</source>
        <translation>Aufwand</translation>
    </message>
    <message>
        <source>as it was</source>
        <translation>wie bisher</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>the same as now</source>
        <translation>dasselbe wie jetzt</translation>
    </message>
    <message>
        <source>the base that serves best</source>
        <translation>die Basis, die am besten passt</translation>
    </message>
    <message>
        <source>nothing: in full</source>
        <translation>nichts: ganz</translation>
    </message>
</context>
<context>
    <name>strata::gui::RemoteCounts</name>
    <message>
        <source>Comparing with the remotes</source>
        <translation>Vergleicht mit den Gegenstellen</translation>
    </message>
    <message>
        <source>The remotes could not be read</source>
        <translation>Die Gegenstellen waren nicht zu lesen</translation>
    </message>
</context>
<context>
    <name>strata::gui::RemoteOps</name>
    <message>
        <source>Reading remotes</source>
        <translation>Gegenstellen werden gelesen</translation>
    </message>
    <message>
        <source>The remotes could not be read</source>
        <translation>Die Gegenstellen konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Saving remote %1</source>
        <translation>Gegenstelle %1 wird gesichert</translation>
    </message>
    <message>
        <source>The remote %1 could not be kept</source>
        <translation>Die Gegenstelle %1 konnte nicht behalten werden</translation>
    </message>
    <message>
        <source>Forgetting remote %1</source>
        <translation>Gegenstelle %1 wird vergessen</translation>
    </message>
    <message>
        <source>The remote %1 could not be forgotten</source>
        <translation>Die Gegenstelle %1 konnte nicht vergessen werden</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>%1 wird gelesen</translation>
    </message>
    <message>
        <source>What %1 last listed cannot be read</source>
        <translation>Was %1 zuletzt aufzählte, lässt sich nicht lesen</translation>
    </message>
    <message>
        <source>Asking %1</source>
        <translation>%1 wird gefragt</translation>
    </message>
    <message>
        <source>%1 could not be asked</source>
        <translation>%1 konnte nicht gefragt werden</translation>
    </message>
    <message>
        <source>Pushing to %1</source>
        <translation>Senden an %1</translation>
    </message>
    <message>
        <source>Nothing could be pushed to %1</source>
        <translation>An %1 konnte nichts gesendet werden</translation>
    </message>
    <message>
        <source>Pulling from %1</source>
        <translation>Holen von %1</translation>
    </message>
    <message>
        <source>Nothing could be pulled from %1</source>
        <translation>Von %1 konnte nichts geholt werden</translation>
    </message>
    <message>
        <source>Taking versions of %1</source>
        <translation>Versionen von %1 werden übernommen</translation>
    </message>
    <message>
        <source>%1 could not be taken in</source>
        <translation>%1 konnte nicht übernommen werden</translation>
    </message>
    <message>
        <source>Looking for the packs of %1</source>
        <translation>Pakete von %1 werden gesucht</translation>
    </message>
    <message>
        <source>Where the packs of %1 are cannot be told</source>
        <translation>Wo die Pakete von %1 sind, ist nicht zu sagen</translation>
    </message>
    <message>
        <source>Looking into %1</source>
        <translation>%1 wird angesehen</translation>
    </message>
</context>
<context>
    <name>strata::gui::RemoteTable</name>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Whether this store has its content</source>
        <translation>Ob diese Ablage ihren Inhalt hat</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>no, nor its base</source>
        <translation>nein, und auch ihre Basis nicht</translation>
    </message>
    <message>
        <source>You need</source>
        <translation>Sie brauchen</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>lossy</source>
        <translation>verlustbehaftet</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>The version there that it is a difference to</source>
        <translation>Die Version dort, zu der sie eine Differenz ist</translation>
    </message>
    <message>
        <source>none: a base</source>
        <translation>keine: eine Basis</translation>
    </message>
    <message>
        <source>in part</source>
        <translation>zum Teil</translation>
    </message>
    <message>
        <source>no, and its base is nowhere</source>
        <translation>nein, und die Basis ist nirgends</translation>
    </message>
    <message>
        <source>Bytes that pulling it fetches: of it and of its parents, what is not here</source>
        <translation>Bytes, die beim Holen kommen: von ihr und ihren Vorgängern, was nicht hier ist</translation>
    </message>
</context>
<context>
    <name>strata::gui::RemotesPage</name>
    <message>
        <source>its certificate is not checked; others may read and change what is sent</source>
        <translation>sein Zertifikat wird nicht geprüft; andere können lesen und ändern, was gesendet wird</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Neu fragen</translation>
    </message>
    <message>
        <source>Push all...</source>
        <translation>Alles senden ...</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Add remote</source>
        <translation>Gegenstelle hinzufügen</translation>
    </message>
    <message>
        <source>Versions of the remote</source>
        <translation>Versionen der Gegenstelle</translation>
    </message>
    <message>
        <source>Remote</source>
        <translation>Gegenstelle</translation>
    </message>
    <message>
        <source>URL of the remote</source>
        <translation>URL der Gegenstelle</translation>
    </message>
    <message>
        <source>Waiting for the remote</source>
        <translation>Warten auf die Gegenstelle</translation>
    </message>
    <message>
        <source>Filter by name, tag or note</source>
        <translation>Nach Name, Marke oder Notiz filtern</translation>
    </message>
    <message>
        <source>Name of a new remote</source>
        <translation>Name einer neuen Gegenstelle</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>URL of a new remote</source>
        <translation>URL einer neuen Gegenstelle</translation>
    </message>
    <message>
        <source>New remote</source>
        <translation>Neue Gegenstelle</translation>
    </message>
    <message>
        <source>Which remote?</source>
        <translation>Welche Gegenstelle?</translation>
    </message>
    <message>
        <source>Get from %1</source>
        <translation>Von %1 holen</translation>
    </message>
    <message>
        <source>Give it a name below and add it: its versions are listed here, and Pull brings those you choose.</source>
        <translation>Unten einen Namen geben und hinzufügen: ihre Versionen stehen dann hier, und „Holen“ bringt die gewählten.</translation>
    </message>
    <message>
        <source>This store has no remotes yet.
A remote is a folder, a hub or a bucket that versions are pushed to and pulled from; add one below.</source>
        <translation>Diese Ablage hat noch keine Gegenstellen.
Eine Gegenstelle ist ein Ordner, ein Hub oder ein Bucket, wohin Versionen gesendet und woher sie geholt werden; unten lässt sich eine hinzufügen.</translation>
    </message>
    <message>
        <source>Nothing is known of this remote yet. Press Ask again.</source>
        <translation>Von dieser Gegenstelle ist noch nichts bekannt. „Neu fragen“ drücken.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>as of %1</source>
        <translation>Stand %1</translation>
    </message>
    <message>
        <source>The remote has no versions yet.</source>
        <translation>Die Gegenstelle hat noch keine Versionen.</translation>
    </message>
    <message>
        <source>There is no remote to push to yet.</source>
        <translation>Es gibt noch keine Gegenstelle, an die sich senden ließe.</translation>
    </message>
    <message>
        <source>Add one below.</source>
        <translation>Unten eine hinzufügen.</translation>
    </message>
    <message>
        <source>What came is no list of versions: check the remote&apos;s URL, or ask again later.</source>
        <translation>Was kam, ist keine Liste von Versionen: die URL der Gegenstelle prüfen oder später noch einmal fragen.</translation>
    </message>
    <message>
        <source>Pull...</source>
        <translation>Holen ...</translation>
    </message>
    <message>
        <source>hf://org/repo   oci://host/repo   s3://bucket   /folder</source>
        <translation>hf://org/repo   oci://host/repo   s3://bucket   /ordner</translation>
    </message>
    <message numerus="yes">
        <source>%n ref(s) of the remote cannot be read</source>
        <translation>
            <numerusform>%n Eintrag der Gegenstelle kann nicht gelesen werden</numerusform>
            <numerusform>%n Einträge der Gegenstelle können nicht gelesen werden</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: all of it is here already.</source>
        <translation>%1: Alles davon ist schon hier.</translation>
    </message>
    <message>
        <source>All versions are on %1 already.</source>
        <translation>Alle Versionen sind schon auf %1.</translation>
    </message>
    <message>
        <source>On %1 already: %2</source>
        <translation>Schon auf %1: %2</translation>
    </message>
</context>
<context>
    <name>strata::gui::RenameDialog</name>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Rename %1</source>
        <translation>%1 umbenennen</translation>
    </message>
    <message>
        <source>New name</source>
        <translation>Neuer Name</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 is in use.</source>
        <translation>%1 ist vergeben.</translation>
    </message>
    <message numerus="yes">
        <source>For %n version(s) with all tags, those in the trash as well. Numbers stay. Remotes keep the old name: the next push sends the new one.</source>
        <translation>
            <numerusform>Für %n Version mit allen Marken, auch im Papierkorb. Nummern bleiben. Gegenstellen behalten den alten Namen: Das nächste Senden bringt den neuen.</numerusform>
            <numerusform>Für %n Versionen mit allen Marken, auch die im Papierkorb. Nummern bleiben. Gegenstellen behalten den alten Namen: Das nächste Senden bringt den neuen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Names have up to 100 letters, digits and . _ - in words with / between them. Words begin with a letter, a digit or _.</source>
        <translation>Namen haben bis zu 100 Buchstaben, Ziffern und . _ - in Wörtern mit / dazwischen. Wörter beginnen mit einem Buchstaben, einer Ziffer oder _.</translation>
    </message>
</context>
<context>
    <name>strata::gui::RepositoryPane</name>
    <message>
        <source>Files of the repository</source>
        <translation>Dateien des Repositoriums</translation>
    </message>
    <message>
        <source>Versions of the repository</source>
        <translation>Versionen des Repositoriums</translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>Modellkarte</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Versions and lineage</source>
        <translation>Versionen und Abstammung</translation>
    </message>
    <message>
        <source>Asking %1...</source>
        <translation>%1 wird gefragt ...</translation>
    </message>
    <message>
        <source>Only repositories of a hub have model cards.</source>
        <translation>Nur Repositorien eines Hubs haben Modellkarten.</translation>
    </message>
    <message>
        <source>The repository has no model card.</source>
        <translation>Das Repositorium hat keine Modellkarte.</translation>
    </message>
    <message>
        <source>Only repositories of a hub have plain files.</source>
        <translation>Nur Repositorien eines Hubs haben gewöhnliche Dateien.</translation>
    </message>
    <message>
        <source>The repository has no plain files.</source>
        <translation>Das Repositorium hat keine gewöhnlichen Dateien.</translation>
    </message>
    <message>
        <source>A plain model: it has no versions that Strata stored.</source>
        <translation>Ein gewöhnliches Modell: Es hat keine Versionen, die Strata abgelegt hat.</translation>
    </message>
    <message>
        <source>It lists no versions.</source>
        <translation>Es führt keine Versionen auf.</translation>
    </message>
    <message>
        <source>What the repository holds</source>
        <translation>Was das Repositorium enthält</translation>
    </message>
</context>
<context>
    <name>strata::gui::RestorePage</name>
    <message>
        <source>stop and say so</source>
        <translation>anhalten und es sagen</translation>
    </message>
    <message>
        <source>keep it as NAME.bak</source>
        <translation>als NAME.bak behalten</translation>
    </message>
    <message>
        <source>replace it</source>
        <translation>ersetzen</translation>
    </message>
    <message>
        <source>compare the SHA-256 of each file, not only its checksums</source>
        <translation>die SHA-256 jeder Datei vergleichen, nicht nur ihre Prüfsummen</translation>
    </message>
    <message>
        <source>What will be written</source>
        <translation>Was geschrieben wird</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Progress of restoring</source>
        <translation>Fortschritt des Wiederherstellens</translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation>Durchsuchen ...</translation>
    </message>
    <message>
        <source>Writes to</source>
        <translation>Schreibt nach</translation>
    </message>
    <message>
        <source>If it exists</source>
        <translation>Wenn es das schon gibt</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation>%1 wiederherstellen</translation>
    </message>
    <message>
        <source>Restore to a file</source>
        <translation>In eine Datei wiederherstellen</translation>
    </message>
    <message>
        <source>Restore to a folder</source>
        <translation>In einen Ordner wiederherstellen</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>%1: not the bytes that were added, but what the profile allows</source>
        <translation>%1: nicht die Bytes, die hinzukamen, sondern was das Profil erlaubt</translation>
    </message>
    <message>
        <source>exact: the same bytes as were added</source>
        <translation>exakt: dieselben Bytes, wie sie hinzukamen</translation>
    </message>
    <message>
        <source>Cancelled: the target is as it was.</source>
        <translation>Abgebrochen: das Ziel ist, wie es war.</translation>
    </message>
    <message>
        <source>Restored %1 to %2</source>
        <translation>%1 nach %2 wiederhergestellt</translation>
    </message>
    <message>
        <source>%1 in %2 s%3</source>
        <translation>%1 in %2 s%3</translation>
    </message>
    <message>
        <source>, SHA-256 compared</source>
        <translation>, SHA-256 verglichen</translation>
    </message>
    <message>
        <source>; its permissions are lost, so it is yours alone</source>
        <translation>; seine Zugriffsrechte sind verloren, daher gehört es nur Ihnen</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>%1 cannot be restored yet: packs of it are not here</source>
        <translation>%1 kann noch nicht wiederhergestellt werden: Pakete davon sind nicht hier</translation>
    </message>
    <message>
        <source>Which remote has them is not known. Pull the version again.</source>
        <translation>Welche Gegenstelle sie hat, ist nicht bekannt. Die Version noch einmal holen.</translation>
    </message>
    <message>
        <source>It was pulled without them from %1.</source>
        <translation>Sie wurde ohne sie von %1 geholt.</translation>
    </message>
    <message>
        <source>Fetch them from %1</source>
        <translation>Von %1 holen</translation>
    </message>
    <message>
        <source>Open in Netron</source>
        <translation>In Netron öffnen</translation>
    </message>
    <message>
        <source>Files to be written</source>
        <translation>Zu schreibende Dateien</translation>
    </message>
    <message>
        <source>Versions they are decoded from</source>
        <translation>Versionen, aus denen sie dekodiert werden</translation>
    </message>
    <message>
        <source>Writes</source>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Reading which files the version has...</source>
        <translation>Liest, welche Dateien die Version hat...</translation>
    </message>
    <message>
        <source>Say below what becomes of what is there, or write to another place.</source>
        <translation>Unten wählen, was mit dem Vorhandenen geschieht, oder an einen anderen Ort schreiben.</translation>
    </message>
    <message numerus="yes">
        <source>%1 in %n file(s); %2 free there, %3 afterwards</source>
        <translation>
            <numerusform>%1 in %n Datei; %2 dort frei, danach %3</numerusform>
            <numerusform>%1 in %n Dateien; %2 dort frei, danach %3</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, but not before %n pack(s) came: %2 to fetch</source>
        <translation>
            <numerusform>%1, aber erst wenn %n Paket da ist: %2 zu holen</numerusform>
            <numerusform>%1, aber erst wenn %n Pakete da sind: %2 zu holen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::RestoreTable</name>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Where it is written</source>
        <translation>Wohin sie geschrieben wird</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Of the whole file: it gets its name once that matches</source>
        <translation>Der ganzen Datei: Sie bekommt ihren Namen, sobald er stimmt</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Each is a difference to the next one</source>
        <translation>Jede ist eine Differenz zur nächsten</translation>
    </message>
    <message>
        <source>%1 (base)</source>
        <translation>%1 (Basis)</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>Bytes that only this version added to the store</source>
        <translation>Bytes, die nur diese Version der Ablage hinzufügte</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Whether its own packs are in the store</source>
        <translation>Ob ihre eigenen Packs in der Ablage sind</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no, %1 to fetch</source>
        <translation>nein, %1 zu holen</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>When it was last found sound</source>
        <translation>Wann sie zuletzt heil war</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
</context>
<context>
    <name>strata::gui::SampleOps</name>
    <message>
        <source>Adding the sample</source>
        <translation>Fügt das Beispiel hinzu</translation>
    </message>
    <message>
        <source>The sample could not be added</source>
        <translation>Das Beispiel war nicht hinzuzufügen</translation>
    </message>
</context>
<context>
    <name>strata::gui::SearchOps</name>
    <message>
        <source>Searching %1</source>
        <translation>%1 wird durchsucht</translation>
    </message>
    <message>
        <source>%1 could not be searched</source>
        <translation>%1 konnte nicht durchsucht werden</translation>
    </message>
</context>
<context>
    <name>strata::gui::SettingHelp</name>
    <message>
        <source>token servers beside registries: REGISTRY=SERVER,...</source>
        <translation>Token-Server neben Registrys: REGISTRY=SERVER,...</translation>
    </message>
    <message>
        <source>whether a group may write to the store; set with --in-store</source>
        <translation>ob eine Gruppe in den Speicher schreiben darf; mit --in-store gesetzt</translation>
    </message>
    <message>
        <source>colour in the terminal</source>
        <translation>Farbe im Terminal</translation>
    </message>
    <message>
        <source>where the coding runs</source>
        <translation>womit kodiert wird</translation>
    </message>
    <message>
        <source>work that add spends on size</source>
        <translation>Aufwand, den add für die Größe treibt</translation>
    </message>
    <message>
        <source>threads; 0 takes all cores</source>
        <translation>Threads; 0 nimmt alle Kerne</translation>
    </message>
    <message>
        <source>ceiling of working memory</source>
        <translation>Obergrenze des Arbeitsspeichers</translation>
    </message>
    <message>
        <source>never use the network</source>
        <translation>das Netz nie benutzen</translation>
    </message>
    <message>
        <source>compression profile of add</source>
        <translation>Kompressionsprofil von add</translation>
    </message>
    <message>
        <source>progress on stderr</source>
        <translation>Fortschritt auf stderr</translation>
    </message>
    <message>
        <source>proxy for remotes; empty: https_proxy, no_proxy</source>
        <translation>Proxy für Gegenstellen; leer: https_proxy, no_proxy</translation>
    </message>
    <message>
        <source>compare the SHA-256 of each restored file, too</source>
        <translation>auch die SHA-256 jeder wiederhergestellten Datei vergleichen</translation>
    </message>
    <message>
        <source>a transfer below so many bytes a second is given up; 0: only a silent one</source>
        <translation>eine Übertragung mit weniger Bytes je Sekunde wird aufgegeben; 0: nur eine stumme</translation>
    </message>
    <message>
        <source>most bytes a second of all transfers; 0: no limit</source>
        <translation>Bytes je Sekunde höchstens, aller Übertragungen; 0: keine Grenze</translation>
    </message>
    <message>
        <source>days that removed versions stay in the trash</source>
        <translation>Tage, die entfernte Versionen im Papierkorb bleiben</translation>
    </message>
    <message>
        <source>how many of so many objects a store may lose; set with --in-store</source>
        <translation>wie viele von so vielen Objekten ein Speicher verlieren darf; gilt mit --in-store</translation>
    </message>
    <message>
        <source>days after which a version counts as not checked lately</source>
        <translation>Tage, nach denen eine Version als nicht kürzlich geprüft gilt</translation>
    </message>
    <message>
        <source>seconds to wait for another program that writes; 0: not at all</source>
        <translation>Sekunden, die auf ein anderes schreibendes Programm gewartet wird; 0: gar nicht</translation>
    </message>
    <message>
        <source>folder in memory for watch --memory-tier and resume</source>
        <translation>Ordner im Arbeitsspeicher für watch --memory-tier und resume</translation>
    </message>
</context>
<context>
    <name>strata::gui::Settings</name>
    <message>
        <source>Reading settings</source>
        <translation>Einstellungen werden gelesen</translation>
    </message>
    <message>
        <source>The settings could not be read</source>
        <translation>Die Einstellungen konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Saving a setting</source>
        <translation>Eine Einstellung wird gesichert</translation>
    </message>
    <message>
        <source>%1 could not be set</source>
        <translation>%1 konnte nicht gesetzt werden</translation>
    </message>
    <message>
        <source>Reading profiles</source>
        <translation>Profile werden gelesen</translation>
    </message>
    <message>
        <source>The profiles could not be read</source>
        <translation>Die Profile konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Saving profile %1</source>
        <translation>Profil %1 wird gesichert</translation>
    </message>
    <message>
        <source>The profile %1 could not be saved</source>
        <translation>Das Profil %1 konnte nicht gesichert werden</translation>
    </message>
</context>
<context>
    <name>strata::gui::SettingsPage</name>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>Wie die Arbeitsfläche</translation>
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
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>Ablage</translation>
    </message>
    <message>
        <source>This window</source>
        <translation>Dieses Fenster</translation>
    </message>
    <message>
        <source>Shared with the command line</source>
        <translation>Gemeinsam mit der Befehlszeile</translation>
    </message>
    <message>
        <source>These stand in the settings file of the program strata; &quot;strata config list&quot; shows the same.</source>
        <translation>Diese stehen in der Einstellungsdatei des Programms strata; „strata config list“ zeigt dasselbe.</translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation>Zugangsdaten</translation>
    </message>
    <message>
        <source>   (from %1)</source>
        <translation>   (aus %1)</translation>
    </message>
    <message>
        <source>this window</source>
        <translation>diesem Fenster</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <source>as tables</source>
        <translation>als Tabellen</translation>
    </message>
    <message>
        <source>Charts as tables</source>
        <translation>Diagramme als Tabellen</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>What this store says</source>
        <translation>Angaben dieser Ablage</translation>
    </message>
    <message>
        <source>none is open</source>
        <translation>keine ist offen</translation>
    </message>
</context>
<context>
    <name>strata::gui::SizeBar</name>
    <message>
        <source>What takes the space</source>
        <translation>Was den Platz braucht</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weiteres</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>The store is empty.</source>
        <translation>Die Ablage ist leer.</translation>
    </message>
    <message>
        <source>%1 in all; most in %2</source>
        <translation>%1 insgesamt; am meisten in %2</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Nothing is stored yet</source>
        <translation>Noch ist nichts gespeichert</translation>
    </message>
</context>
<context>
    <name>strata::gui::StoragePage</name>
    <message>
        <source>Objects</source>
        <translation>Objekte</translation>
    </message>
    <message>
        <source>There are no objects: the store is empty.</source>
        <translation>Es gibt keine Objekte: die Ablage ist leer.</translation>
    </message>
    <message>
        <source>Progress of the check</source>
        <translation>Fortschritt der Prüfung</translation>
    </message>
    <message>
        <source>Filter by hash, version or state</source>
        <translation>Nach Hash, Version oder Zustand filtern</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>Verify quickly</source>
        <translation>Schnell prüfen</translation>
    </message>
    <message>
        <source>Verify all</source>
        <translation>Alles prüfen</translation>
    </message>
    <message>
        <source>Verify by decoding</source>
        <translation>Durch Dekodieren prüfen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Clean up...</source>
        <translation>Aufräumen ...</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Reparieren</translation>
    </message>
    <message>
        <source>Objects exist with the right sizes, and the catalog agrees</source>
        <translation>Objekte sind da und haben die richtigen Größen, und der Katalog stimmt</translation>
    </message>
    <message>
        <source>And the SHA-256 of every object</source>
        <translation>Und die SHA-256 jedes Objekts</translation>
    </message>
    <message>
        <source>And every version is decoded and compared; takes as long as restoring all</source>
        <translation>Und jede Version wird dekodiert und verglichen; dauert so lange, wie alles wiederherzustellen</translation>
    </message>
    <message>
        <source>Free what no version needs, such as an interrupted add left</source>
        <translation>Freigeben, was keine Version braucht, etwa was ein abgebrochenes Hinzufügen zurückließ</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>aus %1</translation>
    </message>
    <message>
        <source>Being written by %1</source>
        <translation>Wird gerade von %1 beschrieben</translation>
    </message>
    <message>
        <source>1 unfinished operation of %1; the next write cleans up after it</source>
        <translation>1 unvollendeter Vorgang von %1; das nächste Schreiben räumt hinter ihm auf</translation>
    </message>
    <message>
        <source>trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>The check was stopped.</source>
        <translation>Die Prüfung wurde angehalten.</translation>
    </message>
    <message numerus="yes">
        <source>Fetched %n object(s), %1 from %2</source>
        <translation>
            <numerusform>%n Objekt geholt, %1 aus %2</numerusform>
            <numerusform>%n Objekte geholt, %1 aus %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing to free</source>
        <translation>Nichts freizugeben</translation>
    </message>
    <message numerus="yes">
        <source>%n object(s), %1, all needed</source>
        <translation>
            <numerusform>%n Objekt, %1, gebraucht</numerusform>
            <numerusform>%n Objekte, %1, alle gebraucht</numerusform>
        </translation>
    </message>
    <message>
        <source>Clean up</source>
        <translation>Aufräumen</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n object(s) that no version needs and free %1?</source>
        <translation>
            <numerusform>%n Objekt löschen, das keine Version braucht, und %1 freigeben?</numerusform>
            <numerusform>%n Objekte löschen, die keine Version braucht, und %1 freigeben?</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Freed %1</source>
        <translation>%1 freigegeben</translation>
    </message>
    <message>
        <source>The store is sound.</source>
        <translation>Die Ablage ist in Ordnung.</translation>
    </message>
    <message>
        <source>%1 %2 %3: versions %4</source>
        <translation>%1 %2 %3: Versionen %4</translation>
    </message>
    <message>
        <source>Damage found</source>
        <translation>Schaden gefunden</translation>
    </message>
    <message>
        <source>What is kept of %1 is damaged; asking it again mends that: %2</source>
        <translation>Was von %1 gemerkt ist, ist beschädigt; erneutes Fragen behebt das: %2</translation>
    </message>
    <message>
        <source>Ask %1 again</source>
        <translation>%1 erneut fragen</translation>
    </message>
    <message>
        <source>Adding the same models again repairs them, in this order: %1</source>
        <translation>Dieselben Modelle noch einmal hinzuzufügen repariert sie, in dieser Reihenfolge: %1</translation>
    </message>
    <message>
        <source>Set aside by a repair, as it cannot be read; delete it if nothing is missing: %1</source>
        <translation>Von einer Reparatur beiseitegelegt, weil es nicht lesbar ist; löschen, wenn nichts fehlt: %1</translation>
    </message>
    <message>
        <source>Did what a damaged file said, as the catalog knows it: %1</source>
        <translation>Nach dem Katalog getan, was eine beschädigte Datei sagte: %1</translation>
    </message>
    <message>
        <source>%1 stay, which may belong to what a repair set aside: %2</source>
        <translation>%1 bleiben, weil sie zu dem gehören können, was eine Reparatur beiseitelegte: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) cannot be restored</source>
        <translation>
            <numerusform>%n Version lässt sich nicht wiederherstellen</numerusform>
            <numerusform>%n Versionen lassen sich nicht wiederherstellen</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>the report</source>
        <translation>der Bericht</translation>
    </message>
    <message>
        <source>Fetch again from %1</source>
        <translation>Neu holen aus %1</translation>
    </message>
    <message>
        <source>%1 stay for pulls that are not over, see Transfers.</source>
        <translation>%1 bleiben, weil noch nicht alles geholt ist, siehe Übertragungen.</translation>
    </message>
    <message>
        <source>Not here yet, because only their manifests were pulled: %1. Pull them again to bring the rest.</source>
        <translation>Noch nicht hier, weil nur ihre Manifeste geholt wurden: %1. Noch einmal holen bringt den Rest.</translation>
    </message>
    <message>
        <source>%1, in %2; %3 free on this disk</source>
        <translation>%1, in %2; %3 auf dieser Platte frei</translation>
    </message>
    <message>
        <source>Checked %1, %2 and %3, read %4 in %5 s</source>
        <translation>%1, %2 und %3 geprüft, %4 in %5 s gelesen</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s)</source>
        <translation>
            <numerusform>%n Version</numerusform>
            <numerusform>%n Versionen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n base(s)</source>
        <translation>
            <numerusform>%n Basis</numerusform>
            <numerusform>%n Basen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n object(s)</source>
        <translation>
            <numerusform>%n Objekt</numerusform>
            <numerusform>%n Objekte</numerusform>
        </translation>
    </message>
    <message>
        <source>with what is here</source>
        <translation>mit dem, was hier ist</translation>
    </message>
    <message>
        <source>Write lost refs anew, or fetch what is damaged or missing from a remote</source>
        <translation>Verlorene Referenzen neu schreiben, oder Beschädigtes und Fehlendes von einer Gegenstelle holen</translation>
    </message>
    <message numerus="yes">
        <source>%n object(s), %1, brought back by parity</source>
        <translation>
            <numerusform>%n Objekt, %1, durch Parität zurückgeholt</numerusform>
            <numerusform>%n Objekte, %1, durch Parität zurückgeholt</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was brought back by parity: %1</source>
        <translation>Durch Parität wurde nichts zurückgeholt: %1</translation>
    </message>
    <message>
        <source>parity file %1: %2</source>
        <translation>Paritätsdatei %1: %2</translation>
    </message>
    <message>
        <source>Wrote its ref anew: %1</source>
        <translation>Referenz neu geschrieben: %1</translation>
    </message>
    <message>
        <source>%1 was made anew of %2, in the trash</source>
        <translation>%1 wurde aus %2 im Papierkorb neu gemacht</translation>
    </message>
    <message>
        <source>Gave a model without a name one: %1</source>
        <translation>Ein Modell ohne Namen heißt nun: %1</translation>
    </message>
    <message>
        <source>Set aside a ref that cannot be read: %1</source>
        <translation>Eine unlesbare Referenz wurde beiseitegelegt: %1</translation>
    </message>
    <message>
        <source>Not finished, and no damage; the next write finishes it: %1</source>
        <translation>Unvollendet, aber kein Schaden; das nächste Schreiben vollendet es: %1</translation>
    </message>
    <message>
        <source>Repair with what is here</source>
        <translation>Mit dem reparieren, was hier ist</translation>
    </message>
    <message>
        <source>Its manifest was lost, and its files&apos; permissions with it; they are yours alone from now on: %1</source>
        <translation>Das Manifest war verloren, und mit ihm die Zugriffsrechte der Dateien. Sie gehören von nun an nur Ihnen: %1</translation>
    </message>
</context>
<context>
    <name>strata::gui::StoreOps</name>
    <message>
        <source>Looking at %1</source>
        <translation>%1 wird betrachtet</translation>
    </message>
    <message>
        <source>%1 cannot be added</source>
        <translation>%1 lässt sich nicht hinzufügen</translation>
    </message>
    <message>
        <source>Estimating %1</source>
        <translation>%1 wird geschätzt</translation>
    </message>
    <message>
        <source>Adding %1</source>
        <translation>%1 wird hinzugefügt</translation>
    </message>
    <message>
        <source>%1 could not be estimated</source>
        <translation>%1 konnte nicht geschätzt werden</translation>
    </message>
    <message>
        <source>%1 could not be added</source>
        <translation>%1 konnte nicht hinzugefügt werden</translation>
    </message>
    <message>
        <source>Restoring %1</source>
        <translation>%1 wird wiederhergestellt</translation>
    </message>
    <message>
        <source>%1 could not be restored</source>
        <translation>%1 konnte nicht wiederhergestellt werden</translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>The store could not be verified</source>
        <translation>Die Ablage konnte nicht geprüft werden</translation>
    </message>
    <message>
        <source>Bringing back %1</source>
        <translation>%1 wird zurückgeholt</translation>
    </message>
    <message>
        <source>%1 could not be brought back</source>
        <translation>%1 konnte nicht zurückgeholt werden</translation>
    </message>
    <message>
        <source>Emptying the trash</source>
        <translation>Der Papierkorb wird geleert</translation>
    </message>
    <message>
        <source>The trash could not be emptied</source>
        <translation>Der Papierkorb konnte nicht geleert werden</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>%1 wird gelesen</translation>
    </message>
    <message>
        <source>%1 could not be read</source>
        <translation>%1 konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The distribution of %1 could not be read</source>
        <translation>Die Verteilung von %1 konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>%1 wird exportiert</translation>
    </message>
    <message>
        <source>%1 could not be exported</source>
        <translation>%1 konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>Listing objects</source>
        <translation>Objekte werden aufgezählt</translation>
    </message>
    <message>
        <source>The objects could not be listed</source>
        <translation>Die Objekte konnten nicht aufgezählt werden</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>%1 could not be compared</source>
        <translation>%1 konnte nicht verglichen werden</translation>
    </message>
</context>
<context>
    <name>strata::gui::StoreSession</name>
    <message>
        <source>Opening %1</source>
        <translation>%1 wird geöffnet</translation>
    </message>
    <message>
        <source>The store could not be made</source>
        <translation>Die Ablage konnte nicht angelegt werden</translation>
    </message>
    <message>
        <source>The store could not be opened</source>
        <translation>Die Ablage konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>Listing</source>
        <translation>Aufzählen</translation>
    </message>
    <message>
        <source>The store could not be read</source>
        <translation>Die Ablage konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The store is gone from its place</source>
        <translation>Die Ablage ist nicht mehr an ihrem Ort</translation>
    </message>
    <message>
        <source>Somebody moved or deleted it, or its disk is not mounted. Bring it back and try again, or open it where it is now.</source>
        <translation>Jemand hat sie verschoben oder gelöscht, oder ihr Datenträger ist nicht eingehängt. Bringen Sie sie zurück und versuchen Sie es noch einmal, oder öffnen Sie sie da, wo sie jetzt ist.</translation>
    </message>
</context>
<context>
    <name>strata::gui::SummaryPane</name>
    <message>
        <source>Copy the whole hash</source>
        <translation>Den ganzen Hash kopieren</translation>
    </message>
    <message>
        <source>the hash</source>
        <translation>der Hash</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>Hash</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Restore...</source>
        <translation>Wiederherstellen ...</translation>
    </message>
    <message>
        <source>No selection</source>
        <translation>Nichts gewählt</translation>
    </message>
    <message>
        <source>Select a version to see it in short; select two and press Ctrl+D to compare them.</source>
        <translation>Eine Version wählen, um sie in Kürze zu sehen; zwei wählen und Strg+D drücken, um sie zu vergleichen.</translation>
    </message>
    <message>
        <source>is a base itself</source>
        <translation>ist selbst eine Basis</translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation>Original / belegt; die Basis zählt nicht mit</translation>
    </message>
    <message>
        <source>L2 norm of the difference, relative to the parent; of floating-point weights</source>
        <translation>L2-Norm der Differenz, relativ zum Elter; von Gleitkommagewichten</translation>
    </message>
    <message>
        <source>%1: %2 changed, %3 same, %4 new</source>
        <translation>%1: %2 geändert, %3 gleich, %4 neu</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s)</source>
        <translation>
            <numerusform>%n Version</numerusform>
            <numerusform>%n Versionen</numerusform>
        </translation>
    </message>
    <message>
        <source>Original %1, stored %2</source>
        <translation>Original %1, belegt %2</translation>
    </message>
    <message>
        <source>Ctrl+D compares them.</source>
        <translation>Strg+D vergleicht sie.</translation>
    </message>
    <message>
        <source>Packs</source>
        <translation>Pakete</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) not here</source>
        <translation>
            <numerusform>%n Version nicht hier</numerusform>
            <numerusform>%n Versionen nicht hier</numerusform>
        </translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Geprüft</translation>
    </message>
</context>
<context>
    <name>strata::gui::TableView</name>
    <message>
        <source>No row matches the filter.</source>
        <translation>Keine Zeile passt zum Filter.</translation>
    </message>
</context>
<context>
    <name>strata::gui::TagDialog</name>
    <message>
        <source>Take it from the version that has it</source>
        <translation>Der Version abnehmen, die sie hat</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Markieren</translation>
    </message>
    <message>
        <source>Tags of %1</source>
        <translation>Marken von %1</translation>
    </message>
    <message>
        <source>prod</source>
        <translation>prod</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>New tag</source>
        <translation>Neue Marke</translation>
    </message>
    <message>
        <source>This version has no tags.</source>
        <translation>Diese Version hat keine Marken.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the tag %1</source>
        <translation>Die Marke %1 entfernen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>strata::gui::TensorTable</name>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>delta</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>%1
against %2</source>
        <translation>%1
gegen %2</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>The part the tensor plays, from the graph or its name</source>
        <translation>Welche Rolle der Tensor spielt, aus dem Graphen oder seinem Namen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Whether it is a difference to the parent&apos;s tensor, the same, or new</source>
        <translation>Ob er eine Differenz zum Tensor des Elters ist, gleich oder neu</translation>
    </message>
    <message>
        <source>Codec</source>
        <translation>Codec</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Bytes in the model&apos;s file</source>
        <translation>Bytes in der Datei des Modells</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Bytes in packs; the manifest&apos;s share is not counted</source>
        <translation>Bytes in Paketen; der Anteil des Manifests zählt nicht mit</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>Stored bits for each element: a mean after entropy coding, so it may be a fraction</source>
        <translation>Belegte Bits für jedes Element: ein Mittel nach der Entropiekodierung, also vielleicht ein Bruch</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Original / stored</source>
        <translation>Original / belegt</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Share of elements that differ from the parent&apos;s</source>
        <translation>Anteil der Elemente, die vom Elter abweichen</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>L2 norm of the difference, relative to the parent&apos;s tensor; - for new tensors and for integers and packed types</source>
        <translation>L2-Norm der Differenz, relativ zum Tensor des Elters; - bei neuen Tensoren, ganzen Zahlen und gepackten Typen</translation>
    </message>
</context>
<context>
    <name>strata::gui::TimelineChart</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>%1, %2, stored %3</source>
        <translation>%1, %2, belegt %3</translation>
    </message>
    <message>
        <source>, change %1</source>
        <translation>, Änderung %1</translation>
    </message>
    <message>
        <source>, tagged %1</source>
        <translation>, Marken %1</translation>
    </message>
    <message>
        <source>Select a model to see its versions over time.</source>
        <translation>Ein Modell wählen, um seine Versionen im Lauf der Zeit zu sehen.</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s), the newest is %1</source>
        <translation>
            <numerusform>%n Version, die neueste ist %1</numerusform>
            <numerusform>%n Versionen, die neueste ist %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
</context>
<context>
    <name>strata::gui::TradeOffChart</name>
    <message>
        <source>Size against quality</source>
        <translation>Größe gegen Güte</translation>
    </message>
    <message>
        <source>%1: %2, %3 %4</source>
        <translation>%1: %2, %3 %4</translation>
    </message>
    <message>
        <source>, chosen</source>
        <translation>, gewählt</translation>
    </message>
    <message>
        <source>No settings were tried yet.</source>
        <translation>Noch wurden keine Einstellungen versucht.</translation>
    </message>
    <message>
        <source>; chosen: %1</source>
        <translation>; gewählt: %1</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>Press Find best: each setting that is tried appears here</source>
        <translation>„Beste finden“ drücken: jede versuchte Einstellung erscheint hier</translation>
    </message>
    <message>
        <source>target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>sampled: %1 to %2</source>
        <translation>geschätzt: %1 bis %2</translation>
    </message>
    <message>
        <source>, %1 to %2</source>
        <translation>, %1 bis %2</translation>
    </message>
    <message>
        <source>%1: %2, quality not measured</source>
        <translation>%1: %2, Qualität nicht gemessen</translation>
    </message>
    <message numerus="yes">
        <source>%n setting(s) measured</source>
        <translation>
            <numerusform>%n Einstellung gemessen</numerusform>
            <numerusform>%n Einstellungen gemessen</numerusform>
        </translation>
    </message>
    <message>
        <source>Known by</source>
        <translation>Bekannt durch</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>sampled, with its error</source>
        <translation>geschätzt, mit Fehler</translation>
    </message>
</context>
<context>
    <name>strata::gui::TransferList</name>
    <message numerus="yes">
        <source>sent %n version(s), %1</source>
        <translation>
            <numerusform>%n Version gesendet, %1</numerusform>
            <numerusform>%n Versionen gesendet, %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n were there</source>
        <translation>
            <numerusform>; %n war schon dort</numerusform>
            <numerusform>; %n waren schon dort</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>got %n version(s), %1</source>
        <translation>
            <numerusform>%n Version geholt, %1</numerusform>
            <numerusform>%n Versionen geholt, %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n were here</source>
        <translation>
            <numerusform>; %n war schon hier</numerusform>
            <numerusform>; %n waren schon hier</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading transfers</source>
        <translation>Übertragungen werden gelesen</translation>
    </message>
    <message>
        <source>The transfers could not be read</source>
        <translation>Die Übertragungen konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Keeping transfers</source>
        <translation>Übertragungen werden gesichert</translation>
    </message>
    <message>
        <source>The transfers could not be kept</source>
        <translation>Die Übertragungen konnten nicht gesichert werden</translation>
    </message>
    <message>
        <source>try %1 of %2 soon: %3</source>
        <translation>Versuch %1 von %2 bald: %3</translation>
    </message>
    <message>
        <source>process %1</source>
        <translation>Prozess %1</translation>
    </message>
    <message>
        <source>Forgetting transfers</source>
        <translation>Übertragungen werden vergessen</translation>
    </message>
    <message>
        <source>The transfers could not be forgotten</source>
        <translation>Die Übertragungen konnten nicht vergessen werden</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) could not be transferred</source>
        <translation>
            <numerusform>%n Version konnte nicht übertragen werden</numerusform>
            <numerusform>%n Versionen konnten nicht übertragen werden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::TransfersPage</name>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>FAILED</source>
        <translation>FEHLGESCHLAGEN</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Übertragungen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Resume all</source>
        <translation>Alle fortsetzen</translation>
    </message>
    <message>
        <source>Clear finished</source>
        <translation>Fertige ausblenden</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>all versions</source>
        <translation>alle Versionen</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>push to %1</source>
        <translation>senden an %1</translation>
    </message>
    <message>
        <source>pull from %1</source>
        <translation>holen von %1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Amount</source>
        <translation>Menge</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>What came of it</source>
        <translation>Was daraus wurde</translation>
    </message>
    <message>
        <source>Nothing is being sent or fetched.
Push from the library, pull from a remote.</source>
        <translation>Nichts wird gesendet oder geholt.
Aus der Bibliothek senden, von einer Gegenstelle holen.</translation>
    </message>
    <message>
        <source>It is safe to close this window: what arrived is kept and goes on later.</source>
        <translation>Das Fenster darf geschlossen werden: was ankam, bleibt, und es geht später weiter.</translation>
    </message>
    <message numerus="yes">
        <source>%n transfer(s) open</source>
        <translation>
            <numerusform>%n Übertragung offen</numerusform>
            <numerusform>%n Übertragungen offen</numerusform>
        </translation>
    </message>
    <message>
        <source>running elsewhere</source>
        <translation>läuft anderswo</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>stalled for %1 s</source>
        <translation>steht seit %1 s</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Pause all</source>
        <translation>Alle anhalten</translation>
    </message>
    <message>
        <source>The mean of the last five seconds</source>
        <translation>Das Mittel der letzten fünf Sekunden</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Rest</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Try again; if it stays so, the copy there is damaged.</source>
        <translation>Noch einmal versuchen; bleibt es dabei, ist die Kopie dort beschädigt.</translation>
    </message>
</context>
<context>
    <name>strata::gui::TrashPane</name>
    <message>
        <source>%1 stays: %2, which lacks its optimizer, is damaged, and a repair makes it anew of it.</source>
        <translation>%1 bleibt: %2, die Version ohne Optimierer, ist beschädigt, und eine Reparatur macht sie daraus neu.</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>Empty the trash...</source>
        <translation>Papierkorb leeren ...</translation>
    </message>
    <message>
        <source>The trash is empty. Removed versions wait here.</source>
        <translation>Der Papierkorb ist leer. Entfernte Versionen warten hier.</translation>
    </message>
    <message numerus="yes">
        <source>Trash: %n version(s), emptying it frees %1</source>
        <translation>
            <numerusform>Papierkorb: %n Version, ihn zu leeren gibt %1 frei</numerusform>
            <numerusform>Papierkorb: %n Versionen, ihn zu leeren gibt %1 frei</numerusform>
        </translation>
    </message>
    <message>
        <source>These tags are in use by other versions by now: %1</source>
        <translation>Diese Marken gehören inzwischen anderen Versionen: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) brought back</source>
        <translation>
            <numerusform>%n Version zurückgeholt</numerusform>
            <numerusform>%n Versionen zurückgeholt</numerusform>
        </translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>Papierkorb leeren</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n version(s) for good and free %1?</source>
        <translation>
            <numerusform>%n Version endgültig löschen und %1 freigeben?</numerusform>
            <numerusform>%n Versionen endgültig löschen und %1 freigeben?</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Freed %1</source>
        <translation>%1 freigegeben</translation>
    </message>
    <message>
        <source>Delete expired...</source>
        <translation>Abgelaufene löschen...</translation>
    </message>
    <message>
        <source>What was kept as long as the setting trash.days says</source>
        <translation>Was so lange lag, wie die Einstellung trash.days sagt</translation>
    </message>
</context>
<context>
    <name>strata::gui::TrialTable</name>
    <message>
        <source>Trial</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Of the difference, relative L2</source>
        <translation>Der Differenz, relative L2</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>Points lost</source>
        <translation>Verlorene Punkte</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>met</source>
        <translation>erreicht</translation>
    </message>
    <message>
        <source>missed</source>
        <translation>verfehlt</translation>
    </message>
    <message>
        <source>Why tried</source>
        <translation>Warum versucht</translation>
    </message>
</context>
<context>
    <name>strata::gui::TrustPane</name>
    <message>
        <source>%1  (confirmed)</source>
        <translation>%1  (bestätigt)</translation>
    </message>
    <message>
        <source>%1  (does not count)</source>
        <translation>%1  (gilt nicht)</translation>
    </message>
    <message>
        <source>Confirm what it says</source>
        <translation>Ihre Angaben bestätigen</translation>
    </message>
    <message>
        <source>What this store says</source>
        <translation>Angaben dieser Ablage</translation>
    </message>
    <message>
        <source>Its servers, proxy and checks count from now on. A change of theirs asks again</source>
        <translation>Ihre Server, ihr Proxy und ihre Prüfungen gelten von nun an. Eine Änderung daran fragt wieder</translation>
    </message>
    <message>
        <source>Nothing that would need your word.</source>
        <translation>Nichts, das Ihre Bestätigung bräuchte.</translation>
    </message>
    <message>
        <source>What the store says counts from now on.</source>
        <translation>Die Angaben der Ablage gelten von nun an.</translation>
    </message>
</context>
<context>
    <name>strata::gui::TuneForm</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>the fine-tuned model to find settings for</source>
        <translation>das nachtrainierte Modell, für das Einstellungen gesucht werden</translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation>Durchsuchen ...</translation>
    </message>
    <message>
        <source>Profile to begin with</source>
        <translation>Profil für den Anfang</translation>
    </message>
    <message>
        <source>Step scale</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>as the profile</source>
        <translation>wie das Profil</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Multiplies every step: coarser is smaller and worse</source>
        <translation>Multipliziert jeden Schritt: gröber ist kleiner und schlechter</translation>
    </message>
    <message>
        <source>Components of low rank that are kept of each matrix&apos;s difference</source>
        <translation>Komponenten von niedrigem Rang, die von jeder Matrixdifferenz bleiben</translation>
    </message>
    <message>
        <source>Share of each tensor&apos;s differences that is set to zero</source>
        <translation>Anteil der Differenzen jedes Tensors, der null wird</translation>
    </message>
    <message>
        <source>A model to tune for</source>
        <translation>Ein Modell, für das abgestimmt wird</translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)</source>
        <translation>Modelle (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)</translation>
    </message>
    <message>
        <source>Kind of target</source>
        <translation>Art des Ziels</translation>
    </message>
    <message>
        <source>stored at most</source>
        <translation>belegt höchstens</translation>
    </message>
    <message>
        <source>relative error at most</source>
        <translation>relativer Fehler höchstens</translation>
    </message>
    <message>
        <source>points lost at most</source>
        <translation>Punktverlust höchstens</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Evaluator</source>
        <translation>Bewerter</translation>
    </message>
    <message>
        <source>a command that scores a model</source>
        <translation>ein Befehl, der ein Modell bewertet</translation>
    </message>
    <message>
        <source>Trials at most</source>
        <translation>Versuche höchstens</translation>
    </message>
    <message>
        <source>Find best</source>
        <translation>Beste finden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Settings of the selected trial</source>
        <translation>Einstellungen des gewählten Versuchs</translation>
    </message>
    <message>
        <source>The settings of the selected trial appear here.</source>
        <translation>Hier stehen die Einstellungen des gewählten Versuchs.</translation>
    </message>
    <message>
        <source>Name of the profile</source>
        <translation>Name des Profils</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Save as profile</source>
        <translation>Als Profil sichern</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Sichern</translation>
    </message>
    <message>
        <source>Preview as I edit</source>
        <translation>Vorschau beim Bearbeiten</translation>
    </message>
    <message>
        <source>Codes a sample of the weights after each edit: a hollow point</source>
        <translation>Kodiert nach jeder Änderung eine Stichprobe der Gewichte: ein hohler Punkt</translation>
    </message>
    <message>
        <source>Measure fully</source>
        <translation>Ganz messen</translation>
    </message>
    <message>
        <source>Codes the whole model with these settings: a solid point</source>
        <translation>Kodiert das ganze Modell mit diesen Einstellungen: ein gefüllter Punkt</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Copy the preview as command</source>
        <translation>Vorschau als Befehl kopieren</translation>
    </message>
    <message>
        <source>Protect</source>
        <translation>Schützen</translation>
    </message>
    <message>
        <source>*.norm.* embeddings.*</source>
        <translation>*.norm.* embeddings.*</translation>
    </message>
    <message>
        <source>Tensors that are kept exactly: names with * and ?, between blanks</source>
        <translation>Tensoren, die genau erhalten bleiben: Namen mit * und ?, durch Leerzeichen getrennt</translation>
    </message>
    <message>
        <source>Protect the worst</source>
        <translation>Schlechteste schützen</translation>
    </message>
    <message>
        <source>The worst</source>
        <translation>Schlechteste</translation>
    </message>
    <message>
        <source>Keep the tensors exactly that lose most in the preview</source>
        <translation>Die Tensoren genau erhalten, die in der Vorschau am meisten verlieren</translation>
    </message>
</context>
<context>
    <name>strata::gui::TuneJob</name>
    <message>
        <source>Tuning %1</source>
        <translation>%1 wird abgestimmt</translation>
    </message>
    <message>
        <source>No settings could be found</source>
        <translation>Keine Einstellungen wurden gefunden</translation>
    </message>
    <message>
        <source>Step scale</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Prune</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Protect</source>
        <translation>Schützen</translation>
    </message>
</context>
<context>
    <name>strata::gui::TunePage</name>
    <message>
        <source>the command</source>
        <translation>der Befehl</translation>
    </message>
    <message>
        <source>trial %1</source>
        <translation>Versuch %1</translation>
    </message>
    <message>
        <source>Size against quality</source>
        <translation>Größe gegen Güte</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Each set of settings that was tried becomes a row.</source>
        <translation>Jede versuchte Einstellung wird eine Zeile.</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>%1 stored, error %2</source>
        <translation>%1 belegt, Fehler %2</translation>
    </message>
    <message>
        <source>Trial %1 meets the target</source>
        <translation>Versuch %1 erreicht das Ziel</translation>
    </message>
    <message>
        <source>Nothing reached the target; trial %1 comes nearest</source>
        <translation>Nichts erreichte das Ziel; Versuch %1 kommt ihm am nächsten</translation>
    </message>
    <message>
        <source>points lost</source>
        <translation>verlorene Punkte</translation>
    </message>
    <message>
        <source>relative error</source>
        <translation>relativer Fehler</translation>
    </message>
    <message>
        <source>Saved profile %1</source>
        <translation>Profil %1 gesichert</translation>
    </message>
    <message>
        <source>%1, error %2. Sampled %3 of %4 tensors in %5.</source>
        <translation>%1, Fehler %2. Stichprobe: %3 von %4 Tensoren in %5.</translation>
    </message>
    <message>
        <source>Worst: %1</source>
        <translation>Am schlechtesten: %1</translation>
    </message>
    <message>
        <source>preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Coding a sample of the weights...</source>
        <translation>Eine Stichprobe der Gewichte wird kodiert ...</translation>
    </message>
    <message>
        <source>With so long a name the version misses the target</source>
        <translation>Mit so langem Namen verfehlt die Version das Ziel</translation>
    </message>
    <message>
        <source>It would take %1, at most %2 are wanted: its profile&apos;s name is stored with it. Choose a shorter name, or find the best again with this one.</source>
        <translation>Sie würde %1 belegen, gewünscht sind höchstens %2: der Name ihres Profils wird mit ihr gespeichert. Einen kürzeren Namen wählen oder das Beste mit diesem noch einmal suchen.</translation>
    </message>
</context>
<context>
    <name>strata::gui::VersionEditor</name>
    <message>
        <source>Tagged %1 as %2</source>
        <translation>%1 als %2 markiert</translation>
    </message>
    <message>
        <source>Took the tag %1 off</source>
        <translation>Marke %1 abgenommen</translation>
    </message>
    <message>
        <source>%1 is called %2 now</source>
        <translation>%1 heißt jetzt %2</translation>
    </message>
    <message>
        <source>Moved %1 to the trash</source>
        <translation>%1 liegt im Papierkorb</translation>
    </message>
    <message numerus="yes">
        <source>Moved %n version(s) to the trash</source>
        <translation>
            <numerusform>%n Version liegt im Papierkorb</numerusform>
            <numerusform>%n Versionen liegen im Papierkorb</numerusform>
        </translation>
    </message>
    <message>
        <source>Recode all the same</source>
        <translation>Trotzdem neu kodieren</translation>
    </message>
    <message>
        <source>Wrote the note of %1</source>
        <translation>Notiz von %1 geschrieben</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Did again: %1</source>
        <translation>Wiederholt: %1</translation>
    </message>
    <message>
        <source>Took back: %1</source>
        <translation>Zurückgenommen: %1</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
</context>
<context>
    <name>strata::gui::VersionPage</name>
    <message>
        <source>Overview</source>
        <translation>Überblick</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Güte</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>Metadaten</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>The model says nothing of itself.</source>
        <translation>Das Modell sagt nichts über sich.</translation>
    </message>
    <message>
        <source>Stored bits per element, by layer</source>
        <translation>Belegte Bits je Element, nach Schichten</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>Back to the library (Alt+1)</source>
        <translation>Zurück zur Bibliothek (Alt+1)</translation>
    </message>
    <message>
        <source>Back to the library</source>
        <translation>Zurück zur Bibliothek</translation>
    </message>
    <message>
        <source>In short</source>
        <translation>In Kürze</translation>
    </message>
    <message>
        <source>Compare with base</source>
        <translation>Mit Basis vergleichen</translation>
    </message>
    <message>
        <source>Restore...</source>
        <translation>Wiederherstellen ...</translation>
    </message>
    <message>
        <source>Filter by name, role, state or codec</source>
        <translation>Nach Name, Rolle, Zustand oder Codec filtern</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>All roles</source>
        <translation>Alle Rollen</translation>
    </message>
    <message>
        <source>Only changed</source>
        <translation>Nur geänderte</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Logarithmic counts</source>
        <translation>Logarithmische Anzahlen</translation>
    </message>
    <message>
        <source>Distribution of values</source>
        <translation>Verteilung der Werte</translation>
    </message>
    <message>
        <source>Distribution of changes</source>
        <translation>Verteilung der Änderungen</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Change to the parent</source>
        <translation>Änderung zum Elter</translation>
    </message>
    <message>
        <source>base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>base %1</source>
        <translation>Basis %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n Tensor</numerusform>
            <numerusform>%n Tensoren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s): %1 changed, %2 same, %3 new</source>
        <translation>
            <numerusform>%n Tensor: %1 geändert, %2 gleich, %3 neu</numerusform>
            <numerusform>%n Tensoren: %1 geändert, %2 gleich, %3 neu</numerusform>
        </translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation>Original / belegt; die Basis zählt nicht mit</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>L2 norm of the difference, relative to the parent; of floating-point weights</source>
        <translation>L2-Norm der Differenz, relativ zum Elter; von Gleitkommagewichten</translation>
    </message>
    <message>
        <source>Lineage</source>
        <translation>Abstammung</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>is a base itself</source>
        <translation>ist selbst eine Basis</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>Tiefe</translation>
    </message>
    <message>
        <source>Versions that are decoded before this one</source>
        <translation>Versionen, die vor dieser dekodiert werden</translation>
    </message>
    <message>
        <source>Differences to it</source>
        <translation>Differenzen zu ihr</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>%1   sha256 %2</source>
        <translation>%1   sha256 %2</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Effort</source>
        <translation>Aufwand</translation>
    </message>
    <message>
        <source>Provenance</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Manifest</source>
        <translation>Manifest</translation>
    </message>
    <message>
        <source>Packs</source>
        <translation>Pakete</translation>
    </message>
    <message numerus="yes">
        <source>%n pack(s)</source>
        <translation>
            <numerusform>%n Paket</numerusform>
            <numerusform>%n Pakete</numerusform>
        </translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>This version restores to the same bytes as the model that was added, so its quality is that of the model.</source>
        <translation>Diese Version kommt mit denselben Bytes zurück wie das Modell, das hinzukam; ihre Güte ist die des Modells.</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Relative error</source>
        <translation>Relativer Fehler</translation>
    </message>
    <message>
        <source>The sum of two losses: what was quantized was lossy itself</source>
        <translation>Summe zweier Verluste: Was quantisiert wurde, war selbst verlustbehaftet</translation>
    </message>
    <message>
        <source>L2 norm of the error, relative to the difference to the parent</source>
        <translation>L2-Norm des Fehlers, relativ zur Differenz zum Elter</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>%1 of their size</source>
        <translation>%1 ihrer Größe</translation>
    </message>
    <message>
        <source>dropped: they restore to 0</source>
        <translation>weggelassen: sie kommen als 0 zurück</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) of them kept exactly</source>
        <translation>
            <numerusform>%n Tensor davon bleibt exakt</numerusform>
            <numerusform>%n Tensoren davon bleiben exakt</numerusform>
        </translation>
    </message>
    <message>
        <source>First moments</source>
        <translation>Erste Momente</translation>
    </message>
    <message>
        <source>Second moments</source>
        <translation>Zweite Momente</translation>
    </message>
    <message>
        <source>L2 norm of the error, relative to the moments themselves</source>
        <translation>L2-Norm des Fehlers, relativ zu den Momenten selbst</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>Wertungen</translation>
    </message>
    <message>
        <source>Not measured: the version was added without an evaluator.</source>
        <translation>Nicht gemessen: die Version kam ohne Bewerter hinzu.</translation>
    </message>
    <message>
        <source>Reading %1...</source>
        <translation>%1 wird gelesen ...</translation>
    </message>
    <message>
        <source>against %1</source>
        <translation>gegen %1</translation>
    </message>
    <message>
        <source>There is no parent&apos;s tensor to compare with.</source>
        <translation>Es gibt keinen Tensor des Elters zum Vergleich.</translation>
    </message>
    <message>
        <source>Show distribution</source>
        <translation>Verteilung zeigen</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Export as .npy...</source>
        <translation>Als .npy exportieren ...</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>the command</source>
        <translation>der Befehl</translation>
    </message>
    <message>
        <source>Export tensors into a folder</source>
        <translation>Tensoren in einen Ordner exportieren</translation>
    </message>
    <message numerus="yes">
        <source>Wrote %n tensor(s) to %1</source>
        <translation>
            <numerusform>%n Tensor nach %1 geschrieben</numerusform>
            <numerusform>%n Tensoren nach %1 geschrieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Protect in the next version</source>
        <translation>In der nächsten Version schützen</translation>
    </message>
    <message>
        <source>Kept exactly</source>
        <translation>Exakt behalten</translation>
    </message>
    <message>
        <source>There are no numbers to compare.</source>
        <translation>Es gibt keine Zahlen zu vergleichen.</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>%1, integers counted as weights</source>
        <translation>%1, ganze Zahlen als Gewichte gezählt</translation>
    </message>
</context>
<context>
    <name>strata::gui::VersionTable</name>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>Original</source>
        <translation>Original</translation>
    </message>
    <message>
        <source>Bytes of the model&apos;s files as given</source>
        <translation>Bytes der Dateien des Modells, wie sie kamen</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Bytes that only this version added to the store</source>
        <translation>Bytes, die nur diese Version zur Ablage beitrug</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Verhältnis</translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation>Original / belegt; die Basis zählt nicht mit</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>L2 norm of the difference to the parent, relative to the parent; of floating-point weights</source>
        <translation>L2-Norm der Differenz zum Elter, relativ zum Elter; von Gleitkommagewichten</translation>
    </message>
    <message>
        <source>Against</source>
        <translation>Gegen</translation>
    </message>
    <message>
        <source>The parent: what the version is a difference to</source>
        <translation>Der Elter: wozu die Version eine Differenz ist</translation>
    </message>
    <message>
        <source>(base)</source>
        <translation>(Basis)</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Entfernt</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Whether it can be restored without fetching packs first</source>
        <translation>Ob sie wiederhergestellt werden kann, ohne vorher Pakete zu holen</translation>
    </message>
    <message>
        <source>Kept until</source>
        <translation>Bleibt bis</translation>
    </message>
    <message>
        <source>From then on Delete expired takes it; nothing goes by itself. How long that is stands in the setting trash.days</source>
        <translation>Von da an nimmt „Abgelaufene löschen“ sie mit; von selbst geht nichts. Wie lange das ist, steht in der Einstellung trash.days</translation>
    </message>
</context>
<context>
    <name>strata::gui::WelcomePage</name>
    <message>
        <source>No models stored yet</source>
        <translation>Noch keine Modelle gespeichert</translation>
    </message>
    <message>
        <source>Strata keeps fine-tuned models as small differences to a shared base model. What you restore has the same bytes as what you added.</source>
        <translation>Strata bewahrt nachtrainierte Modelle als kleine Differenzen zu einem gemeinsamen Basismodell. Was Sie wiederherstellen, hat dieselben Bytes wie das, was Sie hinzufügten.</translation>
    </message>
    <message>
        <source>Choose a base model...</source>
        <translation>Basismodell wählen ...</translation>
    </message>
    <message>
        <source>Make an empty store</source>
        <translation>Leere Ablage anlegen</translation>
    </message>
    <message>
        <source>Open another store...</source>
        <translation>Andere Ablage öffnen ...</translation>
    </message>
    <message>
        <source>Get from a remote...</source>
        <translation>Von einer Gegenstelle holen ...</translation>
    </message>
    <message>
        <source>Change...</source>
        <translation>Ändern ...</translation>
    </message>
    <message>
        <source>Store folder</source>
        <translation>Ordner der Ablage</translation>
    </message>
    <message>
        <source>or drop an .onnx or .safetensors file into this window</source>
        <translation>oder eine .onnx- oder .safetensors-Datei in dieses Fenster ziehen</translation>
    </message>
    <message>
        <source>hf://org/repo   oci://host/repo   s3://bucket   file:///folder</source>
        <translation>hf://org/repo   oci://host/repo   s3://bucket   file:///ordner</translation>
    </message>
    <message>
        <source>and add models later, here or with the command strata</source>
        <translation>und Modelle später hinzufügen, hier oder mit dem Befehl strata</translation>
    </message>
    <message>
        <source>a folder that strata has made before</source>
        <translation>ein Ordner, den strata früher angelegt hat</translation>
    </message>
    <message>
        <source>&lt;b&gt;What is a base?&lt;/b&gt; The model that yours was tuned from, such as the encoder you downloaded. It is stored in full, once; each fine-tune of it then takes only what training changed.</source>
        <translation>&lt;b&gt;Was ist eine Basis?&lt;/b&gt; Das Modell, aus dem Ihres nachtrainiert wurde, etwa der Encoder, den Sie herunterluden. Sie wird einmal ganz gespeichert; jedes nachtrainierte Modell belegt dann nur, was das Training änderte.</translation>
    </message>
    <message>
        <source>Choose a base model</source>
        <translation>Basismodell wählen</translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)</source>
        <translation>Modelle (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)</translation>
    </message>
    <message>
        <source>Open a store</source>
        <translation>Ablage öffnen</translation>
    </message>
    <message>
        <source>Where the store goes</source>
        <translation>Wohin die Ablage kommt</translation>
    </message>
    <message>
        <source>Try with a small sample</source>
        <translation>Mit einem kleinen Beispiel ausprobieren</translation>
    </message>
    <message>
        <source>a base and four fine-tunes, %1, that come with this program; no network</source>
        <translation>eine Basis und vier Ableger, %1, die dieses Programm mitbringt; ohne Netz</translation>
    </message>
    <message>
        <source>This store was not opened</source>
        <translation>Diese Ablage wurde nicht geöffnet</translation>
    </message>
</context>
<context>
    <name>strata::gui::Wording</name>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Bytes</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>lossy</source>
        <translation>verlustbehaftet</translation>
    </message>
    <message>
        <source>lossy (%1)</source>
        <translation>verlustbehaftet (%1)</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>nicht hier</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>shares %1</source>
        <translation>teilt %1</translation>
    </message>
    <message>
        <source>no, %1</source>
        <translation>nein, %1</translation>
    </message>
    <message>
        <source>not here, %1 to fetch</source>
        <translation>nicht hier, %1 zu holen</translation>
    </message>
    <message>
        <source>Pulled without its packs: %1 have to be fetched before it can be restored</source>
        <translation>Ohne ihre Pakete geholt: %1 sind zu holen, bevor sie wiederhergestellt werden kann</translation>
    </message>
    <message>
        <source>%1 on disk for %2 of models (%3)</source>
        <translation>%1 auf der Platte für %2 Modelle (%3)</translation>
    </message>
    <message>
        <source>%1, %2 of packs not here</source>
        <translation>%1, Pakete von %2 nicht hier</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>eben</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>vor %1 min</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>vor %1 h</translation>
    </message>
    <message>
        <source>%1 d ago</source>
        <translation>vor %1 T.</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) of types that are not quantized: %1</source>
        <translation>
            <numerusform>%n Tensor eines Typs, der nicht quantisiert wird: %1</numerusform>
            <numerusform>%n Tensoren von Typen, die nicht quantisiert werden: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>DAMAGED, found %1</source>
        <translation>BESCHÄDIGT, gefunden %1</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>Nobody has verified it since it was added, which decodes what it stores</source>
        <translation>Niemand hat sie geprüft, seit sie hinzugefügt wurde, wobei dekodiert wird, was gespeichert ist</translation>
    </message>
    <message>
        <source>The last check found that it cannot be restored. Repair it on the page Storage, or add the same model again.</source>
        <translation>Die letzte Prüfung fand, dass sie nicht wiederhergestellt werden kann. Reparieren Sie sie auf der Seite Speicherplatz, oder fügen Sie dasselbe Modell noch einmal hinzu.</translation>
    </message>
</context>
<context>
    <name>strata::gui::Workbench</name>
    <message>
        <source>Copied %1</source>
        <translation>%1 kopiert</translation>
    </message>
    <message>
        <source>Writing %1</source>
        <translation>%1 wird geschrieben</translation>
    </message>
    <message>
        <source>%1 could not be written</source>
        <translation>%1 konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>%1 geschrieben</translation>
    </message>
</context>
</TS>
