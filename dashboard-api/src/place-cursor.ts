import { invalidRequest } from '@tidings/http'

const PLACE = /^\d{1,17} [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The place of a record by its microsecond and id, as the cursor of a page hides it. */
export function cursorOf(place: string): string {
  return Buffer.from(place).toString('base64url')
}

export function placeOf(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString('latin1')
  if (!PLACE.test(place)) throw invalidRequest('after must be the next_cursor of a page')
  return place
}
