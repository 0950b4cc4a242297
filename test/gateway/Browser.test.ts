import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { Browser, hasBrowser, servePage } from "../support/Browser.ts"
import { test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken } from "../support/Gateway.ts"

interface Served {
  readonly browser: Browser
  readonly page: string
  readonly foreign: string
  /** What a page needs, as its constants. */
  readonly constants: string
}

const test = base.extend<{ gateway: Served }>({
  gateway: async ({ daemon, host }, use) => {
    const port = await freePort()
    const page = await servePage("<!doctype html><title>An editor</title>")
    const foreign = await servePage("<!doctype html><title>Somebody else</title>")
    const config = `[gateway]\nenabled = true\nport = ${port}\nallowed_origins = ["${page.origin}"]\n`
    writeFileSync(join(host.config, "config.toml"), config)
    const running = daemon()
    await running.ready
    const token = await pairedToken(running, `http://127.0.0.1:${port}`)
    const browser = await Browser.start()
    await use({
      browser,
      page: page.origin,
      foreign: foreign.origin,
      constants: `const [port, token, cwd] = ${JSON.stringify([port, token, host.project])};`
    })
    await browser.close()
    page.server.close()
    foreign.server.close()
  }
})

const overWebSocket = `
  const socket = new WebSocket("ws://127.0.0.1:" + port + "/acp", ["zeroclaw.acp.v1", "bearer." + token]);
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const waiting = new Map();
  let text = "", asked = 0, last = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === "session/request_permission") {
      asked++;
      send({ id: message.id, result: { outcome: { outcome: "selected", optionId: "allow-once" } } });
    } else if (message.method === "session/update") {
      if (message.params.update.sessionUpdate === "agent_message_chunk") text += message.params.update.content.text;
    } else waiting.get(message.id)?.(message.result ?? message.error);
  };
  const request = (method, params) => new Promise((resolve) => {
    waiting.set(++last, resolve);
    send({ id: last, method, params });
  });
  await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = () => reject(new Error("refused")) });
  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await request("session/new", { cwd, mcpServers: [] });
  const prompt = [{ type: "text", text: "write a.txt\\nfrom a page\\n.\\nsay done" }];
  const { stopReason } = await request("session/prompt", { sessionId, prompt });
  return { stopReason, asked, text, protocol: socket.protocol };
`

const overHttp = `
  const url = "http://127.0.0.1:" + port + "/acp";
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const post = (message, more = {}) =>
    fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const first = await post({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  const connection = { "acp-connection-id": first.headers.get("acp-connection-id") };
  const waiting = new Map();
  let text = "", asked = 0;
  const listen = async (more) => {
    const { body } = await fetch(url, { headers: { authorization: headers.authorization, accept: "text/event-stream", ...connection, ...more } });
    (async () => {
      let rest = "";
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const events = (rest + value).split("\\n\\n");
        rest = events.pop();
        for (const event of events) {
          if (!event.startsWith("data: ")) continue;
          const message = JSON.parse(event.slice(6));
          if (message.method === "session/request_permission") {
            asked++;
            post({ id: message.id, result: { outcome: { outcome: "selected", optionId: "allow-once" } } }, { ...connection, ...more });
          } else if (message.method === "session/update") {
            if (message.params.update.sessionUpdate === "agent_message_chunk") text += message.params.update.content.text;
          } else waiting.get(message.id)?.(message.result);
        }
      }
    })();
  };
  const request = (id, method, params, more = {}) => new Promise((resolve) => {
    waiting.set(id, resolve);
    post({ id, method, params }, { ...connection, ...more });
  });
  await listen({});
  const { sessionId } = await request(1, "session/new", { cwd, mcpServers: [] });
  const session = { "acp-session-id": sessionId };
  await listen(session);
  const prompt = [{ type: "text", text: "write b.txt\\nover HTTP\\n.\\nsay done" }];
  const { stopReason } = await request(2, "session/prompt", { sessionId, prompt }, session);
  await fetch(url, { method: "DELETE", headers: { authorization: headers.authorization, ...connection } });
  return { stopReason, asked, text };
`

describe.skipIf(!hasBrowser)("a page in Chromium (needs one)", () => {
  test("holds a session with a permission question over WebSocket and over HTTP", async ({ gateway, host }) => {
    const { browser, constants, page } = gateway
    const socket = await browser.run(page, constants + overWebSocket)
    assert.deepInclude(socket, { stopReason: "end_turn", asked: 1, protocol: "zeroclaw.acp.v1" })
    assert.strictEqual(readFileSync(join(host.project, "a.txt"), "utf8").trim(), "from a page")
    const http = await browser.run(page, constants + overHttp)
    assert.deepInclude(http, { stopReason: "end_turn", asked: 1 })
    assert.strictEqual(readFileSync(join(host.project, "b.txt"), "utf8").trim(), "over HTTP")
  })

  test("is refused where its origin is not allowed", async ({ gateway: { browser, constants, foreign } }) => {
    const attempt = (code: string) =>
      browser.run(foreign, `${constants} try { ${code} } catch { return "refused " + location.origin }`)
    assert.strictEqual(await attempt(overWebSocket), `refused ${foreign}`)
    assert.strictEqual(await attempt(overHttp), `refused ${foreign}`)
  })
})
