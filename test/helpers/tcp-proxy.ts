import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach } from 'vitest';

/** Stands between a client and a server, and does what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections go. */
  target: number;
  /** Nothing goes through any more, and neither side gets an error. */
  blackHole: boolean;
  /** One way is closed: what clients send, or what they are answered, waits until it is open again. */
  held: 'sent' | 'answers' | undefined;
  /** The rate limit for each way of a connection; undefined for no limit. */
  bytesPerSecond: number | undefined;
  /** Cuts all connections. */
  cut(): void;
  /** Sees what a client sends, and decides about what gets through. */
  onSent: ((bytes: Buffer) => 'pass' | 'cut before' | 'cut after') | undefined;
  close(): Promise<void>;
}

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
}

/** Makes proxies that are closed when the test ends. */
export function useProxies(): (target: number) => Promise<TcpProxy> {
  const proxies: TcpProxy[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  return async (target) => {
    const proxy = await startProxy(target);
    proxies.push(proxy);
    return proxy;
  };
}

export async function startProxy(target: number): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  const server: Server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1');
    const connection = { client, upstream };
    connections.add(connection);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (proxy.blackHole) return;
        connections.delete(connection);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      const isSwallowed = proxy.blackHole;
      const fate = proxy.onSent?.(bytes) ?? 'pass';
      if (isSwallowed) return;
      if (fate !== 'cut before') pass(client, upstream, bytes);
      if (fate === 'pass') return;
      client.destroy();
      upstream.end();
    });
    upstream.on('data', (bytes) => {
      if (!proxy.blackHole) pass(upstream, client, bytes);
    });
    flow(connection, proxy.held);
  });
  const pass = (from: Socket, to: Socket, bytes: Buffer): void => {
    to.write(bytes);
    if (proxy.bytesPerSecond === undefined) return;
    from.pause();
    setTimeout(() => held === undefined && from.resume(), (bytes.length / proxy.bytesPerSecond) * 1_000);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  let held: TcpProxy['held'];
  const proxy: TcpProxy = {
    port: address.port,
    target,
    blackHole: false,
    get held() {
      return held;
    },
    set held(way) {
      held = way;
      for (const connection of connections) flow(connection, way);
    },
    onSent: undefined,
    bytesPerSecond: undefined,
    cut() {
      for (const { client, upstream } of connections) {
        client.destroy();
        upstream.destroy();
      }
    },
    async close() {
      proxy.blackHole = false;
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

function flow({ client, upstream }: Connection, held: TcpProxy['held']): void {
  if (held === 'sent') client.pause();
  else client.resume();
  if (held === 'answers') upstream.pause();
  else upstream.resume();
}
