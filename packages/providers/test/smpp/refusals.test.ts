import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { statusCode } from '../../src/smpp/pdu.ts'
import { refusalOf } from '../../src/smpp/refusals.ts'

const PAGE = new URL('../../../../docs/how-to/send-sms-over-smpp.md', import.meta.url)

test('the how-to has the meaning of every status that has one', async () => {
  const rows = (await readFile(PAGE, 'utf8')).split('\n').filter((line) => line.startsWith('| `ESME_'))
  const meanings = rows.flatMap((row) => {
    const [, names = '', becomes = ''] = row.split('|')
    const meaning = /`(\w+)`/.exec(becomes)?.[1] ?? (names.includes('RMSGQFUL') ? 'queue full' : 'throttled')
    return [...names.matchAll(/ESME_\w+/g)].map(([name]) => [name, meaning] as const)
  })
  for (const [name, meaning] of meanings) expect([name, refusalOf(statusCode(name))]).toEqual([name, meaning])
  const documented = new Set(meanings.map(([name]) => statusCode(name)))
  for (let status = 1; status <= 0x1ff; status++) if (!documented.has(status)) expect(refusalOf(status)).toBe('temporary')
})
