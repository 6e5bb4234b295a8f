import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPeopleFile, type PeopleFile } from '../src/file/people-file.ts'
import type { FileRow } from '../src/file/row.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-people-'))
})
afterAll(() => rm(folder, { recursive: true }))

const readAll = async (people: PeopleFile): Promise<readonly FileRow[]> => {
  const rows: FileRow[] = []
  for await (const row of people.rows()) rows.push(row)
  return rows
}

test.each([
  ['csv', 'email\na@people.example\nb@people.example\n', 'c@people.example\n'],
  ['ndjson', '{"email":"a@people.example"}\n{"email":"b@people.example"}\n', '{"email":"c@people.example"}\n'],
])(
  'a %s file that is changed between its check and its import is noticed, and one that is not is read to its end',
  async (ending, text, more) => {
    const file = join(folder, `people.${ending}`)
    await writeFile(file, text)
    const people = await openPeopleFile({ file, map: new Map() })
    expect(await readAll(people)).toHaveLength(2)
    await appendFile(file, more)
    await expect(readAll(people)).rejects.toThrow(`${file} was changed while it was read: call it again with the file as it is now.`)
    await writeFile(file, text)
    expect(await readAll(people)).toHaveLength(2)
  },
)
