"""Facts for compat_tables.py that no gathered table holds: C libraries, and how to install."""

# (glibc from, CUDA, what clashes, source)
GLIBC = [
    ("2.41", "<13.0", "glibc declares sinpi and cospi otherwise than CUDA's crt/math_functions.h",
     "github:NVIDIA/cuda-samples#378 ; github:opencv/opencv#27111 ; github:LostRuins/koboldcpp#1521"),
    ("2.42", "<13.2", "glibc declares rsqrt otherwise than CUDA's crt/math_functions.h",
     "github:ggml-org/llama.cpp#19100 ; github:llvm/llvm-project#185701 (13.2 is the first that fits)"),
]

PYTORCH = "https://pytorch.org/get-started/previous-versions/"
JAX = "https://docs.jax.dev/en/latest/installation.html"
JAX_RELEASES = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html"
TENSORFLOW = "https://www.tensorflow.org/install/pip"
ORT = "https://onnxruntime.ai/docs/install/"
CUPY = "https://docs.cupy.dev/en/stable/install.html"
WHEELS = "https://download.pytorch.org/whl"


def simple(name, package, source, version=">=0", cuda=">=9"):
    return (name, version, cuda, f'pip install "{package}=={{version}}"', source)


# (framework, version, CUDA, command, source). {version}: what was asked for, "2.1.*"; {exact}: with
# three numbers; {cu}: "118"; {major}: "11".
RECIPES = [
    ("pytorch", ">=2.0", ">=10", f'pip install "torch=={{version}}" --index-url {WHEELS}/cu{{cu}}',
     PYTORCH),
    ("pytorch", ">=1.11", ">=10",
     f"pip install torch=={{exact}}+cu{{cu}} --extra-index-url {WHEELS}/cu{{cu}}", PYTORCH),
    ("pytorch", ">=1.7", ">=9", f"pip install torch=={{exact}}+cu{{cu}} -f {WHEELS}/torch_stable.html",
     PYTORCH),
    ("tensorflow", ">=2.14", ">=11", 'pip install "tensorflow[and-cuda]=={version}"', TENSORFLOW),
    ("tensorflow", ">=2.1", ">=10", 'pip install "tensorflow=={version}"', TENSORFLOW),
    ("tensorflow", ">=1", ">=9", 'pip install "tensorflow-gpu=={version}"', TENSORFLOW),
    ("jax", ">=0.4.26", ">=12", 'pip install "jax[cuda{major}]=={version}"', JAX),
    ("jax", ">=0.4.8", ">=11", f'pip install "jax[cuda{{major}}_pip]=={{version}}" -f {JAX_RELEASES}',
     JAX),
    ("jax", ">=0.3", ">=11", f'pip install "jax[cuda]=={{version}}" -f {JAX_RELEASES}', JAX),
    ("onnxruntime", ">=1.21", ">=12", 'pip install "onnxruntime-gpu[cuda,cudnn]=={version}"', ORT),
    simple("onnxruntime", "onnxruntime-gpu", ORT),
    ("cupy", ">=14", ">=12", 'pip install "cupy-cuda{major}x[ctk]=={version}"', CUPY),
    ("cupy", ">=11", ">=11.2", 'pip install "cupy-cuda{major}x=={version}"', CUPY),
    ("cupy", ">=7", ">=8", 'pip install "cupy-cuda{cu}=={version}"', CUPY),
    ("tensorrt", ">=10", ">=11", 'pip install "tensorrt-cu{major}=={version}"',
     "https://docs.nvidia.com/deeplearning/tensorrt/latest/installing-tensorrt/installing.html"),
    ("paddlepaddle", ">=3.0", ">=11",
     'pip install "paddlepaddle-gpu=={version}" -i https://www.paddlepaddle.org.cn/packages/stable/'
     "cu{cu}/", "https://www.paddlepaddle.org.cn/en/install/quick"),
    ("mxnet", ">=1.3", ">=9", 'pip install "mxnet-cu{cu}=={version}"',
     "https://mxnet.apache.org/versions/1.9.1/get_started"),
    ("rapids", ">=23", ">=11", 'pip install "cudf-cu{major}=={version}"',
     "https://docs.rapids.ai/install/"),
    ("nvidia-dali", ">=1", ">=11", 'pip install "nvidia-dali-cuda{major}0=={version}"',
     "https://docs.nvidia.com/deeplearning/dali/user-guide/docs/installation.html"),
    ("numba-cuda", ">=0", ">=12", 'pip install "numba-cuda[cu{major}]=={version}"',
     "https://nvidia.github.io/numba-cuda/user/installation.html"),
    simple("vllm", "vllm", "https://docs.vllm.ai/en/latest/getting_started/installation/gpu/"),
    simple("xgboost", "xgboost", "https://xgboost.readthedocs.io/en/stable/install.html"),
    simple("ctranslate2", "ctranslate2", "https://opennmt.net/CTranslate2/installation.html"),
    simple("faster-whisper", "faster-whisper", "github:SYSTRAN/faster-whisper README.md"),
    simple("bitsandbytes", "bitsandbytes", "https://huggingface.co/docs/bitsandbytes/installation"),
    simple("xformers", "xformers", "github:facebookresearch/xformers README.md"),
    simple("triton", "triton", "github:triton-lang/triton README.md"),
    simple("flash-attn", "flash-attn", "github:Dao-AILab/flash-attention README.md"),
    simple("numba", "numba", "https://numba.readthedocs.io/en/stable/user/installing.html"),
]
