import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** What a person sees of the difference of two pictures, in words and as a picture with it in red. */
export type Difference = Readonly<{ says: string; picture: Buffer }>

/**
 * This part of the distance from black to white. Chromium 150 and 156 drew the ten pictures of screens alike but for 97 pixels on edges of letters and lines, each less
 * than half of this apart.
 */
const THRESHOLD = 0.02
const SQUARE = 16
/** What has moved, or has another colour, changes more in one square. */
const MOST_IN_SQUARE = 4

/** How the picture that was drawn differs from the wanted one; null where a person sees none. */
export function differenceOf(wanted: Buffer, drawn: Buffer): Difference | null {
  const [one, two] = [PNG.sync.read(wanted), PNG.sync.read(drawn)]
  const { width, height } = two
  if (one.width !== width || one.height !== height)
    return { says: `it is ${width} by ${height} pixels, and was ${one.width} by ${one.height}`, picture: drawn }
  const options = { threshold: THRESHOLD, includeAA: true }
  const red = new PNG({ width, height })
  const pixels = pixelmatch(one.data, two.data, red.data, width, height, options)
  const densest = pixels && pixelmatch(one.data, two.data, null, width, height, { ...options, windowSize: SQUARE })
  if (densest <= MOST_IN_SQUARE) return null
  return {
    says: `${pixels} of its pixels differ, ${densest} of them in one square of ${SQUARE} by ${SQUARE}`,
    picture: PNG.sync.write(red),
  }
}

/** Shades are kept to the nearest of 64, which takes a quarter off the bytes and is a third of what is a difference. */
const SHADE = 4

/** The picture as it is kept, in fewer bytes than Chromium takes. */
export function packed(picture: Buffer): Buffer {
  const image = PNG.sync.read(picture)
  image.data.forEach((shade, index) => {
    if (shade !== 255) image.data[index] = Math.min(255, Math.round(shade / SHADE) * SHADE)
  })
  return PNG.sync.write(image, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 })
}
