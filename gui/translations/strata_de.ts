<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>QObject</name>
    <message>
        <source>%1 left</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui</name>
    <message>
        <source>%1 bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lossy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lossy (%1)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::AddPage</name>
    <message>
        <source>Evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit and preview...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop a model here, or choose one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is different: lr 2e-5, 3 epochs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prod, lab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a command that scores a model; empty: quality is not measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of adding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The original file is read only; Strata will not move or delete it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.safetensors.index.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2, %3, %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n more to add after this</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>a new name: becomes %1:v1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>becomes %1:v%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Coding it on trial...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Coding it on trial: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>would store %1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is stored already: nothing would be added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled: the store is as it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was stored: no settings reach the target.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target: %1. The nearest can be stored all the same; it is marked so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store the nearest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::AddResult</name>
    <message>
        <source>Stored %1: the same content as %2, so nothing was added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has this content already; there is no new version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was damaged and has been repaired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 -&gt; %2   %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Against</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 changed, %2 same, %3 new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quality</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept exactly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repaired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::AuthOps</name>
    <message>
        <source>Reading credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The credentials could not be looked up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logging in to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The login to %1 could not be kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logging out of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The login to %1 could not be forgotten</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::Banner</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1  [%2]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::BaseChooser</name>
    <message>
        <source>%1   a like weight for %2 of the bytes, would store about %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>   ! poor match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None: store it in full, as a base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None: store it in full, as a new base</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::BundleImport</name>
    <message>
        <source>Everything in %1 is here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%1 has %n version(s) that are not here, %2</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take them</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Took %n version(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::CareOps</name>
    <message>
        <source>Cleaning up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store could not be cleaned up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repairing from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing could be repaired from %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::ChartFrame</name>
    <message>
        <source>Show as table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show %1 as table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as SVG or PNG</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save %1 as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 as table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::ComparePage</name>
    <message>
        <source>Side A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors that differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose two sides: what changed between them appears here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No tensor differs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter tensors by name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Swap the sides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File on disk...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show changes over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(its base)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with a model on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.safetensors.index.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A file has no base of its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a version for side A.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) changed</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) shown, %1 under the threshold</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Export the tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::ConfirmLoss</name>
    <message>
        <source>This cannot be undone.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::CredentialsPane</name>
    <message>
        <source>not logged in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (read only)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of this store, by its name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the secret comes from; variables and files of other tools are read only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask the server whose the secret is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logged in to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logged in to %1 as %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logged out of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was kept for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>still used: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has a credential</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 knows you as %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::DiffTable</name>
    <message>
        <source>same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Elements changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of elements that differ in any bit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>||B-A|| / ||A||</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative L2 norm of the difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of one element, in value units</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes in the store; - outside of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paired with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the tensor of A has another name or shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the same bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Elements</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 relative L2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only on one side</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::DropOverlay</name>
    <message>
        <source>Of the web, Strata takes repositories: hf://org/repo or their pages on huggingface.co, oci:// and s3:// addresses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to get versions from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to look into the bundle %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is no model: Strata reads .onnx and .safetensors files, folders with them, and bundles (.tar) one at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to add %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Drop to add %n models</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing to add.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::FilterEdit</name>
    <message>
        <source>Filter</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::HistogramChart</name>
    <message>
        <source>Distribution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2: %3 numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No distribution is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 numbers from %3 to %4, mean %5, standard deviation %6, %7 zeros</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a tensor to see how its numbers are distributed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean %1, deviation %2, %3 zeros</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::JobStrip</name>
    <message>
        <source>Progress of the running job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the running job</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>, %n waiting</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::LayerChart</name>
    <message>
        <source>Bits per layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 bits per element, %3 stored (%4 as differences, %5 as new tensors)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no layers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Stored bits per element in %n layer(s); most in %1 with %2</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Differences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bits per element</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>differences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::LibraryPage</name>
    <message>
        <source>Filter by name, tag, hash, note or base   (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No models are stored here yet.
Drop an .onnx or .safetensors file into this window, or press Add.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No version matches. Esc clears the filter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening the store...</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::LineageModel</name>
    <message numerus="yes">
        <source>%1  (%n versions)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Enter to show them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bases, and the versions tuned from them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names for one version, such as prod</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of the model&apos;s files as given</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes that only this version added to the store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2 norm of the difference to the parent, relative to the parent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact versions come back byte for byte</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When the version was added</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>... and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::LineageView</name>
    <message>
        <source>Library</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::LoginDialog</name>
    <message>
        <source>Log in to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access key id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>User name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secret access key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Password or token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is kept in the keychain, or where there is none in a file that only you can read. Strata never shows it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::MainWindow</name>
    <message>
        <source>Strata</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The language changes when the window is opened anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it anew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strata - %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n version(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n base(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1   |   %2 on disk for %3 of models (%4)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving preferences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The preferences could not be saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Add...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open store...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New &amp;store...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy &amp;hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alt+1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tagged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alt+2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alt+3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Storage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alt+4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Next pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F6</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Previous pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift+F6</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+I</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Restore...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+D</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with its &amp;base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tag...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+T</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Move to trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as co&amp;mmand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Push...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+P</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pu&amp;ll...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+L</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+L</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Verify store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tune a model...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Strata</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ve&amp;rsion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Re&amp;mote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tagged %1 as %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took the tag %1 off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moved %1 to the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Brought back %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder for the new store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;p&gt;Charts: arrows walk through the points. Lists: Ctrl+C copies, Esc clears.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Strata</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;h3&gt;Strata %1&lt;/h3&gt;&lt;p&gt;Stores fine-tuned models as small differences to their base.&lt;/p&gt;&lt;p&gt;Apache License 2.0. Uses Qt %2.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::ObjectTable</name>
    <message numerus="yes">
        <source> and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>trash: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DAMAGED: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ok</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first digits of its SHA-256</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A pack holds coded tensors, a manifest lists them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>manifest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Versions whose manifests name it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the last check in this window found</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::PlaceList</name>
    <message>
        <source>Library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tagged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tune</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remotes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Storage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Places</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::Problem</name>
    <message>
        <source>It may have been removed or renamed since; refresh the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strata reads ONNX and safetensors files, and folders with them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the store to see what else is damaged. Adding the same model again repairs a damaged version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Raise the memory ceiling in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free disk space, or empty the trash of the store; nothing was lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a store there, or open another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again when the other program has finished. Reading goes on meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Install the Strata version that wrote it, or a newer one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in with: strata auth login REMOTE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the connection and try again; what was transferred is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its last lines stand above. Run the evaluator by hand to see more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is a bug in Strata; please report it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::RemoteOps</name>
    <message>
        <source>Reading remotes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The remotes could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving remote %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The remote %1 could not be kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forgetting remote %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The remote %1 could not be forgotten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What %1 last listed cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pushing to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing could be pushed to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pulling from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing could be pulled from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taking versions of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be taken in</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::RemoteTable</name>
    <message>
        <source>Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether this store has its content</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no, nor its base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You need</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of its objects that are not here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lossy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::RemotesPage</name>
    <message>
        <source>Ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pull</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Push all...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Versions of the remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>URL of the remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by name, tag or note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of a new remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>URL of a new remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hf://org/repo   oci://host/repo   s3://bucket   file:///folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which remote?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it a name below and add it: its versions are listed here, and Pull brings those you choose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This store has no remotes yet.
A remote is a folder, a hub or a bucket that versions are pushed to and pulled from; add one below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is known of this remote yet. Press Ask again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The remote has no versions yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n entry(s) of the remote cannot be read</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>There is no remote to push to yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add one below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything is on %1 already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 are there already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags that point elsewhere there and stay: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Would send %1 in %2 packs and %3 manifests to %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Push</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::RestorePage</name>
    <message>
        <source>stop and say so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keep it as NAME.bak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replace it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compare the SHA-256 of each file before it gets its name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What will be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of restoring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If it exists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore to a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore to a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Writes %1 in %n file(s), %2 free there</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: not the bytes that were added, but what the profile allows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact: the same bytes as were added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing else: it is a base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled: the target is as it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restored %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2 s%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, SHA-256 compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::Settings</name>
    <message>
        <source>Reading settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving a setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading profiles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The profiles could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving profile %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The profile %1 could not be saved</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::SettingsPage</name>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared with the command line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These stand in the settings file of the program strata; &quot;strata config list&quot; shows the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>   (from %1)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::SizeBar</name>
    <message>
        <source>What takes the space</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in all; most in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is stored yet</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::StoragePage</name>
    <message>
        <source>Objects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no objects: the store is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by hash, version or state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify quickly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify by decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clean up...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Objects exist with the right sizes, and the catalog agrees</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>And the SHA-256 of every object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>And every version is decoded and compared; takes as long as restoring all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free what no version needs, such as an interrupted add left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs a remote that has the objects; add one under Remotes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch what is damaged or missing from a remote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on disk for %2 of models (%3), in %4; %5 free on this disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Being written by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 unfinished operation of %1; the next write cleans up after it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The check was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Fetched %n object(s), %1 from %2</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing to free</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n object(s), %1, all needed</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Clean up</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete %n object(s) that no version needs and free %1?</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Freed %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checked %1 versions, %2 bases and %3 objects, read %4 in %5 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store is sound.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 %3: versions %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adding the same model again repairs a damaged version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) cannot be restored</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch again from %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::StoreOps</name>
    <message>
        <source>Looking at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimating %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adding %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restoring %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store could not be verified</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removing %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bringing back %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be brought back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Emptying the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash could not be emptied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tagging %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be tagged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taking the tag off %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tag %1 could not be removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The distribution of %1 could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listing objects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The objects could not be listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be compared</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::StoreSession</name>
    <message>
        <source>Opening %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store could not be made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store could not be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The store could not be read</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::SummaryPane</name>
    <message>
        <source>Copy the whole hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Against</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>License</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a version to see it in short; select two and press Ctrl+D to compare them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is a base itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2 norm of the difference, relative to the parent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 changed, %3 same, %4 new</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n version(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Original %1, stored %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+D compares them.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TableView</name>
    <message>
        <source>No row matches the filter.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TagDialog</name>
    <message>
        <source>Take it from the version that has it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prod</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This version has no tags.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the tag %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TensorTable</name>
    <message>
        <source>same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>delta</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1
against %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Role</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The part the tensor plays, from the graph or its name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether it is a difference to the parent&apos;s tensor, the same, or new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Codec</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes in the model&apos;s file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes in packs; the manifest&apos;s share is not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored bits for each element: a mean after entropy coding, so it may be a fraction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original / stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of elements that differ from the parent&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2 norm of the difference, relative to the parent&apos;s tensor</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TimelineChart</name>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2, stored %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, change %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, tagged %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a model to see its versions over time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n version(s), the newest is %1</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TradeOffChart</name>
    <message>
        <source>Size against quality</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2, %3 %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, not scored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No settings were tried yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n setting(s) tried</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>; chosen: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Find best: each setting that is tried appears here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>target</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TransferList</name>
    <message numerus="yes">
        <source>sent %n version(s), %1</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n were there</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>got %n version(s), %1</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %n were here</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Reading transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The transfers could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not over when the window was closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeping transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The transfers could not be kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>try %1 of %2 soon: %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TransfersPage</name>
    <message>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>FAILED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Direction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>push to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pull from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Amount</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What came of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is being sent or fetched.
Push from the library, pull from a remote.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is safe to close this window: what arrived is kept and goes on later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n transfer(s) open</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::TrashPane</name>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty the trash...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash is empty. Removed versions wait here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Trash: %n version(s), emptying it frees %1</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>These tags are in use by other versions by now: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n version(s) brought back</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete %n version(s) for good and free %1?</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Freed %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TrialTable</name>
    <message>
        <source>Trial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the difference, relative L2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Points lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>met</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>missed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why tried</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TuneForm</name>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the fine-tuned model to find settings for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile to begin with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rank</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prune</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure as I edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Multiplies every step: coarser is smaller and worse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Components of low rank that are kept of each matrix&apos;s difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of each tensor&apos;s differences that is set to zero</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model to tune for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.safetensors.index.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind of target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stored at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>relative error at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>points lost at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a command that scores a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trials at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the selected trial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings of the selected trial appear here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TuneJob</name>
    <message>
        <source>Tuning %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No settings could be found</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::TunePage</name>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>trial %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size against quality</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each set of settings that was tried becomes a row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 stored, error %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trial %1 meets the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing reached the target; trial %1 comes nearest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>points lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>relative error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved profile %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::VersionPage</name>
    <message>
        <source>Overview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quality</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model says nothing of itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored bits per element, by layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the library (Alt+1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In short</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by name, role, state or codec</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Role</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All roles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic counts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Distribution of values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Distribution of changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change to the parent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>base %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s): %1 delta, %2 same, %3 new</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2 norm of the difference, relative to the parent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lineage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is a base itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Against</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Depth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Versions that are decoded before this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Differences to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1   sha256 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Effort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Provenance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>License</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Content</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Manifest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Packs</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n pack(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This version restores to the same bytes as the model that was added, so its quality is that of the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2 norm of the error, relative to the difference to the parent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not measured: the version was added without an evaluator.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading %1...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>against %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no parent&apos;s tensor to compare with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show distribution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as .npy...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export tensors into a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Wrote %n tensor(s) to %1</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::gui::VersionTable</name>
    <message>
        <source>Version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of the model&apos;s files as given</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes that only this version added to the store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Original / stored; the base is not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2 norm of the difference to the parent, relative to the parent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Against</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The parent: what the version is a difference to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(base)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::WelcomePage</name>
    <message>
        <source>No models stored yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strata keeps fine-tuned models as small differences to a shared base model. What you restore has the same bytes as what you added.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a base model...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make an empty store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open another store...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get from a remote...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or drop an .onnx or .safetensors file into this window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hf://org/repo   oci://host/repo   s3://bucket   file:///folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and add models later, here or with the command strata</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a folder that strata has made before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;What is a base?&lt;/b&gt; The model that yours was tuned from, such as the encoder you downloaded. It is stored in full, once; each fine-tune of it then takes only what training changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a base model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.onnx *.safetensors *.safetensors.index.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the store goes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>strata::gui::Workbench</name>
    <message>
        <source>Copied %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
