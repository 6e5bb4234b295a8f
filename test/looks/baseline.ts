import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { leftOut } from '@tidings/testing'
import { chromiumOrLeftOut, pictureOf } from '../e2e/support/browser.ts'
import { differenceOf, packed } from './compare.ts'

const PICTURES = join(import.meta.dirname, 'pictures')
const DRAWN_BY = join(PICTURES, 'drawn-by.txt')
const UPDATE = 'npm run looks'
const isWriting = process.env.TIDINGS_LOOKS === 'write'

/** The Chromium that draws; null where there is none, or fontconfig does not give it its fonts. */
export function drawingChromium(): string | null {
  if (process.platform === 'linux') return chromiumOrLeftOut()
  leftOut('looks', 'only on Linux are the fonts of a browser chosen for it.')
  return null
}

/** Compares what was drawn by this version of Chromium with the picture of that name; says what differs, or null. On a difference both are kept with the pictures of failing tests. */
export function compared(name: string, drawn: Buffer, version: string): string | null {
  const file = join(PICTURES, `${name}.png`)
  if (isWriting) return write(file, drawn, version)
  if (!existsSync(file)) return `${name} has no picture yet: ${UPDATE}`
  const wanted = readFileSync(file)
  const difference = differenceOf(wanted, drawn)
  if (difference === null) return null
  for (const [what, picture] of Object.entries({ drawn, wanted, difference: difference.picture }))
    writeFileSync(pictureOf(`${name} ${what}`), picture)
  const by = `Drawn by Chromium ${version}, the picture by ${readFileSync(DRAWN_BY, 'utf8').trim()}.`
  return `${name}: ${difference.says}: ${pictureOf(`${name} difference`)}. ${by} If it is meant: ${UPDATE}`
}

/** A picture that shows the same stays as it is, byte by byte. */
function write(file: string, drawn: Buffer, version: string): null {
  if (existsSync(file) && differenceOf(readFileSync(file), drawn) === null) return null
  writeFileSync(file, packed(drawn))
  writeFileSync(DRAWN_BY, `${version}\n`)
  return null
}
