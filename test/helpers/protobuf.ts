/** A value on the wire: a text, bytes or a message; a number is a varint. */
export type Wire = string | number | bigint | Uint8Array | WireFields;

/** Fields by their numbers, in this order; a list sends its field once for each item. */
export type WireFields = readonly (readonly [number: number, value: Wire])[];

/** A varint; negative numbers have ten bytes. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

/** The tag of a field. */
export function tag(number: number, wireType: number): Buffer {
  return varint(number * 8 + wireType);
}

/** Bytes after their length. */
export function withLength(bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(bytes.length), bytes]);
}

/** A message in bytes. */
export function encodeWire(fields: WireFields): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint') return [tag(number, 0), varint(value)];
      return [tag(number, 2), withLength(bytesOf(value))];
    }),
  );
}

function bytesOf(value: string | Uint8Array | WireFields): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value);
  return value instanceof Uint8Array ? value : encodeWire(value);
}

/** The body of a Kubernetes client, as client-go writes it: with empty content encoding and type. */
export function kubernetesBody(apiVersion: string, kind: string, object: WireFields | Uint8Array): Buffer {
  const names: WireFields = [
    [1, apiVersion],
    [2, kind],
  ];
  const envelope = encodeWire([
    [1, names],
    [2, object],
    [3, ''],
    [4, ''],
  ]);
  return Buffer.concat([Buffer.from('k8s\0'), envelope]);
}
