/** What a press on the header of a column asks for: first its ascending order, then the other one. */
export function nextSort(current: string | undefined, column: string): string {
  return current === `${column}:asc` ? `${column}:desc` : `${column}:asc`
}
