import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { OperationFailed } from '@tidings/config'

/** A file, or standard input for `-`; one sentence where it cannot be read. */
export async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new OperationFailed(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
