const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether the text is a UUID in lower case. Another text is no part of a stream's name, and no value of a query. */
export function isUuid(id: string): boolean {
  return UUID.test(id)
}
