/** The origin of a write that a client has requested, for the logs. One object for each request of the client. */
export interface WriteOrigin {
  /** The part of the service that the client talks to: `http`, `mcp`. */
  readonly via: string;
  /** The network address of the client. */
  readonly source?: string | undefined;
  /** The groups of the user. */
  readonly groups?: readonly string[] | undefined;
  /** Set when the audit log records the writes of the request, or does not need to. */
  isRecorded?: boolean;
}
