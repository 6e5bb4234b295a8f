import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import { quotedPrintable } from '../../../src/email/mime/quoted-printable.ts'

const decoded = async (encoded: string): Promise<string> =>
  (await PostalMime.parse(`Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${encoded}`))
    .text ?? ''

test('another library reads back any text, whatever its lines and characters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', '=', ' ', '\t', '\n', '\r\n', '.', 'é', '🎉', 'x'.repeat(80)), maxLength: 300 }),
      async (text) => {
        const encoded = quotedPrintable(text)
        for (const line of encoded.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76)
        expect(encoded).not.toMatch(/[ \t](?:\r\n|$)/)
        expect((await decoded(encoded)).replaceAll('\r\n', '\n').replace(/\n+$/, '')).toBe(
          text.replaceAll('\r\n', '\n').replace(/\n+$/, ''),
        )
      },
    ),
  )
})
