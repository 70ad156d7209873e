// A service for tests: it answers what it is told to, remembers what it was asked, and can break off.

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Perennial, type ClientOptions, type StoredTokens } from "../src/index.js";

export interface Seen {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The connection is closed without an answer. */
export const CUT = Symbol("cut");
/** There is never an answer. */
export const SILENCE = Symbol("silence");

type Answering = (seen: Seen, before: number) => Reply | typeof CUT | typeof SILENCE | Promise<Reply>;

export class FakeService {
  readonly seen: Seen[] = [];
  /** How long the client chose to wait; it did not have to. */
  readonly waits: number[] = [];
  now = Date.parse("2026-11-15T12:00:00Z");
  readonly #server: Server;

  private constructor(answering: Answering) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url: path = "", headers } = request;
        const seen = { method, path, headers, body: Buffer.concat(chunks).toString() };
        const before = this.to(method, path).length;
        this.seen.push(seen);
        void (async () => {
          const reply = await answering(seen, before);
          if (reply === CUT) {
            request.socket.destroy();
          } else if (reply !== SILENCE) {
            response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
            response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {}));
          }
        })();
      });
    });
  }

  static async start(answering: Answering): Promise<FakeService> {
    const service = new FakeService(answering);
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests to a path, whatever their query. */
  to(method: string, path: string): Seen[] {
    const plain = (text: string): string => text.split("?")[0] ?? "";
    return this.seen.filter((seen) => seen.method === method && plain(seen.path) === plain(path));
  }

  client(options: Partial<ClientOptions> = {}): Perennial {
    return new Perennial({
      baseUrl: this.url,
      clientId: "default",
      ...options,
      surroundings: {
        now: () => this.now,
        random: () => 0.5,
        sleep: async (wait) => void this.waits.push(wait),
        ...options.surroundings,
      },
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Runs a test with a service that is gone afterwards. */
export async function withService(answering: Answering, test: (service: FakeService) => Promise<void>): Promise<void> {
  const service = await FakeService.start(answering);
  try {
    await test(service);
  } finally {
    service.close();
  }
}

export function problem(status: number, code: string, more: object = {}): Reply {
  const document = { type: `/docs/errors#${code}`, title: code, status, detail: "As a test wants it.", code, request_id: "req_1", ...more };
  return { status, headers: { "content-type": "application/problem+json" }, body: document };
}

/** The tokens of a generation, as the service answers them. */
export function tokens(generation: number): Reply {
  const data = { token: `access-${generation}`, token_type: "Bearer", expires_in: 3600, refresh_token: `refresh-${generation}`, user: {} };
  return { body: { data } };
}

export function stored(generation: number, expiresAt: number): StoredTokens {
  return { token: `access-${generation}`, refreshToken: `refresh-${generation}`, expiresAt };
}
