import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { confirm } from '../../src/commands/workspace.ts'

const act = 'close workspace acme'

/** A terminal at which this is typed. */
const typing = (text: string, { isTTY = true, end = false } = {}) => {
  const shown: string[] = []
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(
    new PassThrough().on('data', (data) => shown.push(String(data))),
    { isTTY },
  )
  input.write(text)
  if (end) input.end()
  return { terminal: { input, output }, shown }
}

describe('what cannot be taken back', () => {
  test('is done when a person types yes', async () => {
    const { terminal, shown } = typing('Yes\n')
    await confirm({ act, yes: false }, terminal)
    expect(shown.join('')).toContain('This cannot be undone: close workspace acme. Type yes to go on: ')
  })

  test.each(['y\n', 'no\n', '\n', 'yes please\n'])('is not done after any other answer: %j', async (text) => {
    await expect(confirm({ act, yes: false }, typing(text).terminal)).rejects.toThrow('Nothing was changed.')
  })

  test('is not done when the input ends without an answer', async () => {
    await expect(confirm({ act, yes: false }, typing('', { end: true }).terminal)).rejects.toThrow('Nothing was changed.')
  })

  test('is refused in one sentence where there is no terminal, whatever the input holds', async () => {
    const { terminal, shown } = typing('yes\n', { isTTY: false })
    await expect(confirm({ act, yes: false }, terminal)).rejects.toThrow(
      /^This cannot be undone: close workspace acme\. Confirm it with --yes\.$/,
    )
    expect(shown).toEqual([])
  })

  test('is done without a question after --yes', async () => {
    const { terminal, shown } = typing('', { isTTY: false })
    await confirm({ act, yes: true }, terminal)
    expect(shown).toEqual([])
  })
})
