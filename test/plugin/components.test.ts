import { describe, expect, it } from 'vitest';
import { BasePlugin } from '../../src/plugin/base-plugin.js';
import { Components, type ComponentKind } from '../../src/plugin/components.js';
import type { PluginContext } from '../../src/plugin/context.js';

interface Greeter {
  greet(): string;
}

const GREETERS: ComponentKind<Greeter> = {
  recognises: (shape): shape is Greeter => 'greet' in shape && typeof shape.greet === 'function',
};

const context = { name: 'demo' } as PluginContext;

class Main extends BasePlugin {
  greet(): string {
    return 'the plugin itself';
  }
}

class Polite implements Greeter {
  static built = 0;

  constructor(readonly ctx: PluginContext) {
    Polite.built++;
  }

  greet(): string {
    return `hello from ${this.ctx.name}`;
  }
}

function of(exports: object): Components {
  return new Components({ exports, context, instance: new Main(context) });
}

describe('components of a plugin', () => {
  it('are exported classes, built with the context, and exported objects', () => {
    const found = of({ Polite, brief: { greet: () => 'hi' }, default: Main, Main }).of(GREETERS);
    expect(found.map(({ name, value }) => [name, value.greet()])).toEqual([
      ['Polite', 'hello from demo'],
      ['brief', 'hi'],
    ]);
  });

  it('are built once, however often they are asked for', () => {
    Polite.built = 0;
    const components = of({ Polite });
    components.of(GREETERS);
    components.build(Polite);
    expect(components.of(GREETERS)).toHaveLength(1);
    expect(Polite.built).toBe(1);
  });

  it('are neither functions nor values of other shapes, and those are not called', () => {
    const called: string[] = [];
    const exports = {
      loud: () => void called.push('loud'),
      Other: class {
        constructor() {
          called.push('Other');
        }
      },
      nothing: null,
      text: 'greet',
    };
    expect(of(exports).of(GREETERS)).toEqual([]);
    expect(called).toEqual([]);
  });

  it('are found behind the wrapper of compiled CommonJS', () => {
    expect(of({ default: { default: Main, Polite } }).of(GREETERS)).toHaveLength(1);
  });

  it('pass on what a constructor throws, with the name of the class', () => {
    class Broken implements Greeter {
      constructor() {
        throw new Error('no greetings today');
      }
      greet(): string {
        return '';
      }
    }
    expect(() => of({ Broken }).of(GREETERS)).toThrow('the constructor of Broken failed: no greetings today');
  });
});
