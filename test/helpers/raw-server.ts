import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A server without HTTP. */
export interface RawServer {
  readonly url: string;
  close(): void;
}

export async function startRawServer(onSocket: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
