/** A response that can report its head. */
export interface FollowedResponse {
  /** Called with the status before the head is sent. */
  onHead: ((status: number) => void) | undefined;
}
