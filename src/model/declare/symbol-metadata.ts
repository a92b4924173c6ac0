// Node 20 has no Symbol.metadata. Decorator helpers read it when a class is defined, so this module must be evaluated
// before any decorated class. The registered symbol is the fallback of compilers.
(Symbol as { metadata?: symbol }).metadata ??= Symbol.for('Symbol.metadata');

export {};
