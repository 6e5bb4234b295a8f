import { createHmac } from 'node:crypto'

/** An account as it stands in `TIDINGS_SMS_PROVIDER`; nothing answers there. */
export const ACCOUNT = { sid: 'ACe2e', token: 'twilio-signs-with-this' }
const TWILIO = `twilio://${ACCOUNT.sid}:${ACCOUNT.token}@127.0.0.1:9?protocol=http`

/** The public address that Twilio was given; the tests call the routes where the service listens. */
const PUBLIC_URL = 'https://tidings.example'

/** What a world needs to believe what is posted here. */
export const twilioSettings = { TIDINGS_SMS_PROVIDER: TWILIO, TIDINGS_PUBLIC_URL: PUBLIC_URL }

type Form = Readonly<Record<string, string>>
type Posted = Readonly<{ status: number; type: string | null; text: string }>

/** `signature`: null for none; left out, it is Twilio's own for the form. */
type Posting = Readonly<{ path: string; form: Form; signature?: string | null }>

/** What Twilio writes into `X-Twilio-Signature`. */
export function twilioSignature(path: string, form: Form, token: string = ACCOUNT.token): string {
  const fields = Object.keys(form).toSorted()
  return createHmac('sha1', token)
    .update([`${PUBLIC_URL}${path}`, ...fields.map((name) => `${name}${form[name]}`)].join(''))
    .digest('base64')
}

/** Posts a form as Twilio does. */
export async function postForm(url: string, { path, form, signature = twilioSignature(path, form) }: Posting): Promise<Posted> {
  const headers = signature === null ? {} : { 'X-Twilio-Signature': signature }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

type Ids = Readonly<{ workspaceId: string; messageId: string }>

export function statusPath({ workspaceId, messageId }: Ids): string {
  return `/api/v1/providers/twilio/status?workspaceId=${workspaceId}&messageId=${messageId}`
}

/** A report about a text message. */
export function statusForm(status: string, more: Form = {}): Form {
  return { AccountSid: ACCOUNT.sid, MessageSid: 'SM1', MessageStatus: status, ...more }
}

let texts = 0

/** Posts a text message that a person sent, with an id of its own. */
export function postText(url: string, text: Readonly<{ From: string; To: string; Body: string; MessageSid?: string }>): Promise<Posted> {
  const form = { AccountSid: ACCOUNT.sid, MessageSid: `SMin${++texts}`, ...text }
  return postForm(url, { path: '/api/v1/providers/twilio/inbound', form })
}
