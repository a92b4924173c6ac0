import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, and does what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections go. */
  target: number;
  /** Nothing goes through any more, and nobody is told. */
  blackHole: boolean;
  /** Cuts all connections. */
  cut(): void;
  /** Decides about what a client sends. */
  onSent: ((bytes: Buffer) => 'pass' | 'cut before' | 'cut after') | undefined;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        if (proxy.blackHole) return;
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (proxy.blackHole) return;
      const fate = proxy.onSent?.(bytes) ?? 'pass';
      if (fate !== 'cut before') upstream.write(bytes);
      if (fate === 'pass') return;
      client.destroy();
      upstream.end();
    });
    upstream.on('data', (bytes) => {
      if (!proxy.blackHole) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const proxy: TcpProxy = {
    port: address.port,
    target,
    blackHole: false,
    onSent: undefined,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      proxy.blackHole = false;
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
