/** A read was under way on a server that does not answer any more, or that lets it wait. Another one is asked. */
export class ServerLost extends Error {
  readonly retryable = true
}
