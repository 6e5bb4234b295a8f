import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { blocksOf, readPage } from '../docs/markdown.ts'
import { drivers } from './drivers.ts'

type Vector = Readonly<{ secret: string; body: string; signature: string }>

const block = blocksOf(readPage('docs/reference/webhooks.md')).find(({ language }) => language === 'json')
const vectors = JSON.parse(block?.text ?? '[]') as readonly Vector[]

const FORGED = { refused: 'signature' }

afterAll(async () => {
  await Promise.all(drivers.map(({ stop }) => stop()))
})

describe.each(drivers)('the $name client and the signature vectors of the reference', ({ verify }) => {
  it('takes each, and nothing like it', async () => {
    expect(vectors.length).toBeGreaterThan(2)
    for (const { secret, body, signature } of vectors) {
      const parsed: unknown = JSON.parse(body)
      const isEvent = body.includes('"deliveryId"')
      expect(await verify({ secret, body, signature }), signature).toEqual(isEvent ? { event: parsed, builtIn: true } : { refused: 'body' })
      const last = signature.endsWith('0') ? '1' : '0'
      const forged = [signature.slice(0, -1) + last, signature.slice(7), `${signature}00`, signature.toUpperCase(), 'sha256=', '', null]
      for (const other of forged) expect(await verify({ secret, body, signature: other }), `${other}`).toEqual(FORGED)
      expect(await verify({ secret, body: `${body} `, signature })).toEqual(FORGED)
      expect(await verify({ secret: `${secret}0`, body, signature })).toEqual(FORGED)
    }
  })

  it('refuses what is no text, and every request while its secret is empty', async () => {
    const [vector] = vectors
    expect(vector).toBeDefined()
    const { secret = '', body = '', signature = '' } = vector ?? {}
    // As a framework hands on bytes that are no text.
    expect(await verify({ secret, body, signature: `${signature}\udcff` })).toEqual(FORGED)
    expect(await verify({ secret, body: `${body}\udcff`, signature })).toEqual(FORGED)
    const anyones = `sha256=${createHmac('sha256', '').update(body).digest('hex')}`
    expect(await verify({ secret: '', body, signature: anyones })).toEqual({ refused: 'WrongUse' })
  })
})
