import { expect, test } from 'vitest'
import { createRunningParts } from '../src/running-parts.ts'

const opened = (fails: readonly string[]) => {
  const parts = createRunningParts()
  const stopped: string[] = []
  const stopOf = (name: string) => async (): Promise<void> => {
    stopped.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    if (fails.includes(name)) throw new Error(`${name} does not stop`)
  }
  for (const name of ['database', 'keys']) parts.addFoundation(stopOf(name))
  for (const name of ['lanes', 'http']) parts.addIntake(stopOf(name))
  return { parts, stopped }
}

const ALL = ['lanes', 'http', 'keys', 'database']

test('what takes in work stops first, then what it is built on, the last registered first', async () => {
  const { parts, stopped } = opened([])
  await parts.stop()
  expect(stopped).toEqual(ALL)
})

test.each([['lanes'], ['http'], ['keys'], ['database']])(
  'the stop of %s that fails leaves nothing else running, and is reported',
  async (name) => {
    const { parts, stopped } = opened([name])
    await expect(parts.stop()).rejects.toThrow(`${name} does not stop`)
    expect(stopped).toEqual(ALL)
  },
)

test('of several stops that fail each is reported', async () => {
  const { parts, stopped } = opened(ALL)
  const error: unknown = await parts.stop().catch((failed: unknown) => failed)
  expect(error).toBeInstanceOf(AggregateError)
  expect((error as AggregateError).errors.map(String).toSorted()).toEqual(ALL.map((name) => `Error: ${name} does not stop`).toSorted())
  expect(stopped).toEqual(ALL)
})
