import { execFileSync, spawnSync } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { leftOut } from '@tidings/testing'
import { describe, expect, it } from 'vitest'
import { signatureOf, standardHeaders } from '../../consumers/src/webhooks/signature.ts'
import { blocksOf, readPage } from './markdown.ts'

type Vector = Readonly<{
  secret: string
  body: string
  signature: string
  standard: Readonly<{ id: string; timestamp: string; signature: string }>
}>

const blocks = blocksOf(readPage('docs/reference/webhooks.md'))
const textOf = (language: string): string => blocks.find((block) => block.language === language)?.text ?? ''
const vectors = JSON.parse(textOf('json')) as readonly Vector[]

describe('the signature vectors of the reference', () => {
  it.each(vectors)('are what Tidings signs: $signature', ({ secret, body, signature, standard }) => {
    const key = createSecretKey(secret, 'ascii')
    const raw = Buffer.from(body)
    expect(signatureOf(key, raw)).toBe(signature)
    const headers = standardHeaders({ key, deliveryId: standard.id, event: 'any', body: raw }, Number(standard.timestamp))
    expect(headers).toEqual({
      'webhook-id': standard.id,
      'webhook-timestamp': standard.timestamp,
      'webhook-signature': standard.signature,
    })
  })

  it('are verified by the snippet for Node.js, and nothing else is', async () => {
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(textOf('js'))}`)
    for (const { secret, body, signature } of vectors) {
      expect(isGenuine(secret, Buffer.from(body), signature)).toBe(true)
      expect(isGenuine(secret, Buffer.from(`${body} `), signature)).toBe(false)
      expect(isGenuine(secret, Buffer.from(body), 'sha256=00')).toBe(false)
    }
  })
})

const python = spawnSync('python3', ['--version']).status === 0 || leftOut('python', 'there is no python3.')

/** Reads the vectors from its standard input and answers what the page's function says of each, as it is and spoilt. */
const VERIFY = `
import json, sys
print(json.dumps([
    [is_genuine(v["secret"], v["body"].encode(), v["signature"]), is_genuine(v["secret"], v["body"].encode() + b" ", v["signature"])]
    for v in json.load(sys.stdin)
]))
`

it.runIf(python)('they are verified by the snippet for Python, with nothing but its standard library', () => {
  const said = execFileSync('python3', ['-I', '-S', '-c', `${textOf('python')}${VERIFY}`], { input: JSON.stringify(vectors) })
  expect(JSON.parse(said.toString())).toEqual(vectors.map(() => [true, false]))
})
