// What the page asks of its server. The key, where the server wants one, lives here and nowhere else.

let key = "";

export function useKey(text) {
  key = text;
}

export class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (key) headers.Authorization = `Bearer ${key}`;
  const reply = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (reply.ok) return reply;
  let message = `The server answered ${reply.status}.`;
  try {
    message = (await reply.json()).error.message;
  } catch { /* not one of our errors: the status says enough */ }
  throw new ServerError(reply.status, message);
}

export async function getJson(path) {
  return (await ask(path)).json();
}

export async function getFile(path) {
  return (await ask(path)).blob();
}

export async function postJson(path, value) {
  const reply = await ask(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value),
  });
  return reply.json();
}

// One server-sent event per blank line; what is not whole yet stays for the next time.
export function takeEvents(text) {
  const blocks = text.split("\n\n");
  const rest = blocks.pop();
  const events = [];
  for (const block of blocks) {
    const event = { id: "", kind: "message", data: null };
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) event.id = line.slice(4);
      else if (line.startsWith("event: ")) event.kind = line.slice(7);
      else if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
    }
    if (event.data !== null) events.push(event);
  }
  return { events, rest };
}

const RETRY_MS = 1000;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Hears the story at `path` to its end, also through lost connections, until `signal` says stop.
export async function listen(path, { signal, tell, lost }) {
  let last = "";
  for (;;) {
    try {
      const reply = await ask(path, { signal, headers: last ? { "Last-Event-ID": last } : {} });
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const { events, rest } = takeEvents(text + value);
        text = rest;
        for (const event of events) {
          last = event.id || last;
          tell(event);
          if (event.kind === "end") return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ServerError) throw error;
    }
    lost();
    await pause(RETRY_MS);
  }
}
