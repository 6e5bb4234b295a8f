import { createHmac, createSecretKey } from 'node:crypto'
import { asMessageId } from '@tidings/domain'
import { createReturnPaths } from '@tidings/providers'

export const returnPaths = createReturnPaths({
  address: 'bounces@example.com',
  derive: () => [(purpose) => createSecretKey(createHmac('sha256', 'one').update(purpose).digest())],
})
export const MESSAGE = asMessageId('01a1feb4-f243-774a-84d8-4e6ead929d10')

type Report = Readonly<{ to?: string; type?: string; fields: string; returned?: string; headers?: string; words?: string }>

/** A report as a mail server writes it; `fields` of `type`, LF line ends allowed. */
export function reportMail({ to = returnPaths.addressOf(MESSAGE), type = 'message/delivery-status', fields, ...rest }: Report): Buffer {
  const { returned = 'Subject: Hi\n\nbody', headers = '', words = 'This is the mail system.' } = rest
  return Buffer.from(`From: MAILER-DAEMON@mx.example
To: ${to}
Subject: Undelivered Mail Returned to Sender
${headers}MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"

--=_b
Content-Type: text/plain

${words}

--=_b
Content-Type: ${type}

${fields}

--=_b
Content-Type: message/rfc822

${returned}

--=_b--
`)
}

/** The fields of a report about one recipient. */
export function statusFields(action: string, status: string, diagnostic?: string): string {
  const said = diagnostic === undefined ? '' : `\nDiagnostic-Code: ${diagnostic}`
  return `Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ada@example.com\nAction: ${action}\nStatus: ${status}${said}`
}
