"""A peer that shares no code with the package: grpcio's generated stubs, in a process of their own.

``python peer.py MODE ADDRESS …`` prints what it finds as JSON. The generated modules are on its
path.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
import grpc_pb2
import grpc_pb2_grpc
import patch_grpc_pb2
import patch_grpc_pb2_grpc
import patch_pb2
import rdf_pb2
from google.protobuf import json_format


def tell(**fields):
    print(json.dumps(fields), flush=True)


def ended(call):
    frames = []
    try:
        frames.extend(frame.SerializeToString().hex() for frame in call)
        tell(frames=frames, code="OK")
    except grpc.RpcError as error:
        tell(frames=frames, code=error.code().name, details=error.details())


def given(kind):
    return (kind.FromString(bytes.fromhex(line)) for line in sys.stdin)


def subscribe(channel, topic, options):
    request = grpc_pb2.RdfStreamSubscribe(topic=topic)
    if options:
        json_format.Parse(options, request.requested_options)
    ended(grpc_pb2_grpc.RdfStreamServiceStub(channel).SubscribeRdf(request))


def publish(channel):
    stub = grpc_pb2_grpc.RdfStreamServiceStub(channel)
    ended(map(stub.PublishRdf, [given(rdf_pb2.RdfStreamFrame)]))


def subscribe_patches(channel, since, count):
    request = patch_grpc_pb2.RdfPatchSubscribe(since_version=int(since))
    call = patch_grpc_pb2_grpc.RdfPatchStreamServiceStub(channel).SubscribePatches(request)
    tell(frames=[next(call).SerializeToString().hex() for _ in range(int(count))], code="OK")
    call.cancel()


def publish_patches(channel):
    stub = patch_grpc_pb2_grpc.RdfPatchStreamServiceStub(channel)
    ended(stub.PublishPatches(given(patch_pb2.RdfPatchFrame)))


class Servicer(grpc_pb2_grpc.RdfStreamServiceServicer):
    """Gives each subscriber what was published last."""

    def __init__(self):
        self.frames = []

    def SubscribeRdf(self, request, context):
        tell(topic=request.topic, options=json_format.MessageToDict(request.requested_options))
        if request.topic == "nothing":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no such topic")
        yield from self.frames

    def PublishRdf(self, requests, context):
        self.frames = list(requests)
        return grpc_pb2.RdfStreamReceived()


def serve():
    server = grpc.server(ThreadPoolExecutor())
    grpc_pb2_grpc.add_RdfStreamServiceServicer_to_server(Servicer(), server)
    tell(port=server.add_insecure_port("127.0.0.1:0"))
    server.start()
    sys.stdin.read()
    server.stop(0)


if __name__ == "__main__":
    mode, *arguments = sys.argv[1:]
    if mode == "serve":
        serve()
    else:
        address, *rest = arguments
        with grpc.insecure_channel(address) as channel:
            globals()[mode](channel, *rest)
