
/// All spans of the record that lie in the ONNX file itself, as fragments `name`, and so on, in the
/// order of the payload's fields.
