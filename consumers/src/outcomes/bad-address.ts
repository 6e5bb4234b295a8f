import { enhancedCodeOf } from '@tidings/providers'

/** RFC 3463 §3.2: X.1.x is about an address; X.1.7 and X.1.8 are about the sender's. */
const BAD_ADDRESS = /^5\.1\.(?![78]$)/
/** The status of a report, which stands before the server's answer: `5.1.1 (no such user) smtp; 550 5.1.1 no such user`. */
const STATUS = /^([245]\.\d{1,3}\.\d{1,3})(?![.\w])/
const ANSWER = /(?:^|\bsmtp\s*;\s*)(\d{3}[ -].*)$/is

/** Whether what a provider said of a bounce names the address as bad. Only a code at its place counts: other digits with dots are an IP address. */
export function saysBadAddress(detail: string): boolean {
  const said = detail.trim()
  const status = STATUS.exec(said)?.[1] ?? ''
  return [status, enhancedCodeOf(ANSWER.exec(said)?.[1] ?? said)].some((code) => BAD_ADDRESS.test(code))
}
