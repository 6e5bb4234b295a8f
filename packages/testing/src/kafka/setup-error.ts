export type SetupFailure = 'JAVA_MISSING' | 'JAVA_TOO_OLD' | 'MAVEN_MISSING' | 'DOWNLOAD_FAILED' | 'CHECKSUM' | 'START_FAILED'

/** Why this machine has no broker, with the command that helps. */
export class KafkaSetupError extends Error {
  override readonly name = 'KafkaSetupError'
  readonly code: SetupFailure
  constructor(code: SetupFailure, message: string, options?: ErrorOptions) {
    super(`${code}: ${message}`, options)
    this.code = code
  }
}
