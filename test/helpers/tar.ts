import { gzipSync } from 'node:zlib';

/** An entry of an archive. */
export interface TarEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** Default `0`: a file. */
  readonly type?: string;
  readonly link?: string;
}

/** A `.tgz` of any entries, also those that no honest program would write. */
export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)]));
}

export function entryBytes({ path, content = '', type = '0', link = '' }: TarEntry): Buffer {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(512);
  head.write(path, 0, 100);
  head.write('0000644\0', 100);
  head.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write(' '.repeat(8), 148);
  head.write(type, 156);
  head.write(link, 157, 100);
  head.write('ustar\u000000', 257);
  let sum = 0;
  for (const byte of head) sum += byte;
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** An extended head of POSIX for the next entry. */
export function paxEntry(records: Readonly<Record<string, string>>): TarEntry {
  const lines = Object.entries(records).map(([name, value]) => {
    const rest = ` ${name}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (String(length).length + Buffer.byteLength(rest) !== length)
      length = String(length).length + Buffer.byteLength(rest);
    return `${length}${rest}`;
  });
  return { path: 'PaxHeader', type: 'x', content: lines.join('') };
}
