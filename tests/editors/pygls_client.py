"""Drives the server from the client of pygls: pygls_client.py PROGRAM REPOSITORY"""
import asyncio, pathlib, sys

from lsprotocol import types

try:
    from pygls.lsp.client import LanguageClient as Client
except ImportError:
    from pygls.lsp.client import BaseLanguageClient as Client

PATH = "stacks/deploy/shop/dev.yaml"


async def main(program, repository):
    root = pathlib.Path(repository).resolve()
    client, shown, news = Client("test", "1"), {}, asyncio.Event()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish(params):
        shown[params.uri] = [d.code for d in params.diagnostics]
        news.set()

    await client.start_io(program, "-C", str(root), "lsp")
    result = await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=root.as_uri()))
    assert result.capabilities.hover_provider
    client.initialized(types.InitializedParams())
    uri = (root / PATH).as_uri()
    text = (root / PATH).read_text().replace("catalog/network", "catalog/nothing-of-this-name")
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        text_document=types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text)))
    while "unresolved-import" not in shown.get(uri, []):
        await asyncio.wait_for(news.wait(), 60)
        news.clear()
    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=types.TextDocumentIdentifier(uri=uri)))
    assert any(symbol.name == "import" for symbol in symbols), symbols
    await client.shutdown_async(None)
    client.exit(None)
    await asyncio.sleep(0.2)
    print("pygls: ok")


asyncio.run(main(*sys.argv[1:]))
