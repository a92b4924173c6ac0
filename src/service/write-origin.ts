/** The parts of the service through which a write can come. */
export const ORIGINS = ['http', 'mcp', 'plugin', 'controller', 'service'] as const;

/** The origin of a write that a client has requested, for the audit log. One object for each request of the client. */
export interface WriteOrigin {
  readonly via: (typeof ORIGINS)[number];
  /** The network address of the client. */
  readonly source?: string | undefined;
  /** The groups of the user. */
  readonly groups?: readonly string[] | undefined;
  /** Set when the audit log records the writes of the request, or does not need to. */
  isRecorded?: boolean;
}
