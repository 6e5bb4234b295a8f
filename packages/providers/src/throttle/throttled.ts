import { DeliveryError } from '../port.ts'

/**
 * The other side did not take the message, because it is asked too often: it may be sent again. `about`: whom it says that of, the sender of
 * everything, or as far as can be known this recipient. `waitMs`: how long it asks to wait, null where it does not say.
 */
export class Throttled extends DeliveryError {
  readonly about: 'sender' | 'recipient'
  readonly waitMs: number | null
  constructor(
    message: string,
    details: Readonly<{ response: string | null; about: 'sender' | 'recipient'; waitMs?: number | null; saidByReceiver?: boolean }>,
  ) {
    super('temporary', message, details)
    this.about = details.about
    this.waitMs = details.waitMs ?? null
  }
}
