// What the version in a part of cuDNN looks like.
extern "C" {
extern const unsigned long long cudnn_ops_infer_version;
const unsigned long long cudnn_ops_infer_version = 91900;
}
