import { PNG } from 'pngjs'
import { expect, it } from 'vitest'
import { differenceOf, packed } from './compare.ts'

const SIDE = 64

/** A white picture with a black letter of 3 by 8 pixels at `left`, and single grey pixels at the places of `dust`. */
const drawn = (left: number, dust: readonly (readonly [number, number])[] = [], height = SIDE): Buffer => {
  const image = new PNG({ width: SIDE, height })
  image.data.fill(255)
  const paint = (x: number, y: number, shade: number) => image.data.fill(shade, (y * SIDE + x) * 4, (y * SIDE + x) * 4 + 3)
  for (let x = left; x < left + 3; x++) for (let y = 20; y < 28; y++) paint(x, y, 0)
  for (const [x, y] of dust) paint(x, y, 180)
  return PNG.sync.write(image)
}

it('sees nothing in two pictures that are the same, however they are packed', () => {
  const picture = drawn(10)
  expect(differenceOf(picture, picture)).toBeNull()
  expect(differenceOf(packed(picture), picture)).toBeNull()
})

it('sees a letter that moved by one pixel, says how much differs, and shows where', () => {
  const difference = differenceOf(drawn(10), drawn(11))
  expect(difference?.says).toBe('16 of its pixels differ, 16 of them in one square of 16 by 16')
  const red = PNG.sync.read(difference?.picture ?? Buffer.alloc(0))
  expect([...red.data.subarray((20 * SIDE + 10) * 4, (20 * SIDE + 10) * 4 + 3)]).toEqual([255, 0, 0])
})

it('sees a picture of another size', () => {
  expect(differenceOf(drawn(10), drawn(10, [], 65))?.says).toBe('it is 64 by 65 pixels, and was 64 by 64')
})

it('overlooks a pixel here and there, and not as many in one place', () => {
  const spread = Array.from({ length: 12 }, (_, index) => [(index % 4) * 16, Math.floor(index / 4) * 16 + 1] as const)
  const together = Array.from({ length: 12 }, (_, index) => [40 + (index % 4) * 2, 40 + Math.floor(index / 4) * 2] as const)
  expect(differenceOf(drawn(10), drawn(10, spread))).toBeNull()
  expect(differenceOf(drawn(10), drawn(10, together))).not.toBeNull()
})
