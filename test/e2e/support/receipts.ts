import { createHmac } from 'node:crypto'

/** What a provider signs its receipts with, in every world that believes receipts. */
export const PROVIDER_SECRET = 'receipts-are-signed-with-this'

/** The value of `X-Tidings-Signature` for a body. */
export function signed(body: string, secret = PROVIDER_SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
