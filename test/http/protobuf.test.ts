import { describe, expect, it } from 'vitest';
import { messageAt, readProtobuf, textAt } from '../../src/http/kube/protobuf.js';

const bytes = (hex: string): Buffer => Buffer.from(hex.replace(/ /g, ''), 'hex');

describe('a message', () => {
  it('gives its texts and messages by their numbers', () => {
    // 1: 150, 2: "ada", 3: { 1: "x" }, 4: fixed 32 bits, 5: fixed 64 bits, 100: "far"
    const message = readProtobuf(
      bytes('08 96 01  12 03 616461  1a 03 0a 01 78  25 01020304  29 0102030405060708  a2 06 03 666172'),
    );
    expect(textAt(message, 2)).toBe('ada');
    expect(textAt(messageAt(message, 3), 1)).toBe('x');
    expect(textAt(message, 100)).toBe('far');
    expect(message.has(1)).toBe(false);
  });

  it('has nothing where nothing was sent', () => {
    const message = readProtobuf(new Uint8Array());
    expect(textAt(message, 7)).toBe('');
    expect(messageAt(message, 7).size).toBe(0);
  });

  it.each([
    '12',
    '12 05 61',
    '08 ff',
    '0b',
    '0f',
    `08 ${'ff'.repeat(20)}`,
    '25 01',
    `12 ${'ff'.repeat(4)} 7f`,
  ])('is refused when it is none (%s)', (hex) => {
    expect(() => readProtobuf(bytes(hex))).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  });
});
