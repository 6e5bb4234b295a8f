import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPeopleFile } from '../src/file/people-file.ts'
import { LineRefused } from '../src/line/given-consents.ts'
import { personOf } from '../src/line/person-of.ts'
import { KINDS, ODD_FILES, type OddFile } from './odd-files.testing.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'odd-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const READING = { country: 'IL', kinds: KINDS, now: '2026-11-29T00:00:00.000Z' }

/** What an import would have of the file, by line. */
const read = async ({ bytes, map = {}, encoding }: OddFile): Promise<readonly string[]> => {
  const file = join(folder, 'people')
  await writeFile(file, bytes)
  const people = await openPeopleFile({ file, map: new Map(Object.entries(map)), ...(encoding !== undefined && { encoding }) })
  const lines: string[] = []
  for await (const row of people.rows()) lines.push(`${row.line} ${'why' in row ? `refused: ${row.why}` : said(row.cells)}`)
  expect(people.count).toBe(lines.length)
  return lines
}

const said = (cells: Parameters<typeof personOf>[0]): string => {
  try {
    const { details, consents, ...addresses } = personOf(cells, READING)
    const given = consents.map(({ channel, status, source, at }) => `${channel} ${status} ${source} ${at}`)
    return JSON.stringify({ ...addresses, ...details, ...(given.length > 0 && { consents: given }) })
  } catch (error) {
    if (error instanceof LineRefused) return `refused: ${error.message}`
    throw error
  }
}

it.each(ODD_FILES.map((odd) => ({ ...odd, title: odd.name })))('$title', async (odd) => {
  const result = await read(odd).catch((error: Error) => error.message.replace(join(folder, 'people'), 'FILE'))
  if (odd.gives instanceof RegExp) expect(result).toMatch(odd.gives)
  else expect(result).toEqual(odd.gives)
})

it('takes no pipe and no folder, and waits for neither', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const file of [pipe, folder])
    await expect(openPeopleFile({ file, map: new Map() })).rejects.toThrow(`${file} is no file: write what it gives into a file`)
})
