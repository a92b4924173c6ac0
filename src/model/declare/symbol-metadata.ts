// Node 20 has no Symbol.metadata. Decorator helpers look it up when a class is defined, so this module must be
// evaluated before any decorated class; the registered symbol is the one that compilers fall back to.
(Symbol as { metadata?: symbol }).metadata ??= Symbol.for('Symbol.metadata');

export {};
