import { PNG } from 'pngjs';

/** A picture of half the width and height, which hides the differences of smoothed edges. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel. */
  readonly rgb: Uint8Array;
}

const HALF = 2;
const CHANNELS = 3;
/** Shades of each channel in a stored picture: few compress well. */
const SHADES = 32;
/** The difference of a channel that counts, of 255. More than two shades. */
const TOLERANCE = 36;
/** The side of a tile, in pixels of the reduced picture. */
const TILE = 20;
/** Different pixels that a tile may have, of its 400. */
const TILE_LIMIT = 8;

/** A reduced picture of a screenshot. */
export function reduce(screenshot: Buffer): Picture {
  const { width: wide, height: high, data } = PNG.sync.read(screenshot);
  const [width, height] = [Math.floor(wide / HALF), Math.floor(high / HALF)];
  const rgb = new Uint8Array(width * height * CHANNELS);
  for (let i = 0; i < rgb.length; i++) {
    const [pixel, channel] = [Math.floor(i / CHANNELS), i % CHANNELS];
    const at = (Math.floor(pixel / width) * HALF * wide + (pixel % width) * HALF) * 4 + channel;
    const sum = [0, 4, wide * 4, wide * 4 + 4].reduce((total, more) => total + (data[at + more] ?? 0), 0);
    rgb[i] = toShade(sum / 4);
  }
  return { width, height, rgb };
}

function toShade(value: number): number {
  const step = 255 / (SHADES - 1);
  return Math.round(Math.round(value / step) * step);
}

export function encode({ width, height, rgb }: Picture): Buffer {
  const png = new PNG({ width, height, colorType: 2, inputColorType: 2, inputHasAlpha: false });
  png.data = Buffer.from(rgb);
  return PNG.sync.write(png, { colorType: 2, inputColorType: 2, inputHasAlpha: false, deflateLevel: 9 });
}

export function decode(stored: Buffer): Picture {
  const { width, height, data } = PNG.sync.read(stored);
  return { width, height, rgb: Uint8Array.from(data.filter((_, i) => i % 4 !== 3)) };
}

export interface Difference {
  /** `x,y` of the corners of different tiles, in pixels of the screen. */
  readonly tiles: readonly string[];
  /** The picture, with different pixels in red. */
  readonly marked: Picture;
}

/** Compares a picture with the stored one. Pixels that only moved to a neighbour are the same. */
export function compare(stored: Picture, seen: Picture): Difference {
  const { width, height } = stored;
  if (seen.width !== width || seen.height !== height)
    return { tiles: [`size ${seen.width}×${seen.height} instead of ${width}×${height}`], marked: seen };
  const marked = Uint8Array.from(seen.rgb, (value) => 128 + value / 2);
  const counts = new Map<string, number>();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (hasNear(stored, seen, x, y) && hasNear(seen, stored, x, y)) continue;
      const tile = `${Math.floor(x / TILE) * TILE * HALF},${Math.floor(y / TILE) * TILE * HALF}`;
      counts.set(tile, (counts.get(tile) ?? 0) + 1);
      marked.set([200, 0, 0], (y * width + x) * CHANNELS);
    }
  const tiles = [...counts].filter(([, count]) => count > TILE_LIMIT).map(([tile]) => tile);
  return { tiles, marked: { width, height, rgb: marked } };
}

/** True when a pixel of one picture is like one of the nine around the same place in the other. */
function hasNear(one: Picture, other: Picture, x: number, y: number): boolean {
  const { width, height } = one;
  for (const dy of NEAR)
    for (const dx of NEAR) {
      const [nearX, nearY] = [x + dx, y + dy];
      if (nearX < 0 || nearY < 0 || nearX >= width || nearY >= height) continue;
      if (isLike(one, y * width + x, other, nearY * width + nearX)) return true;
    }
  return false;
}

/** The same place first: most pixels are the same there. */
const NEAR = [0, -1, 1];

function isLike(one: Picture, at: number, other: Picture, otherAt: number): boolean {
  for (let channel = 0; channel < CHANNELS; channel++) {
    const [a, b] = [one.rgb[at * CHANNELS + channel] ?? 0, other.rgb[otherAt * CHANNELS + channel] ?? 0];
    if (Math.abs(a - b) > TOLERANCE) return false;
  }
  return true;
}
