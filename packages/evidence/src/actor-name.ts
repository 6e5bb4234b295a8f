/** The actor in the words of D1. The log has other names for keys, and for the person who followed a link in a mail. */
export function actorName(actor: string): string {
  if (actor === 'recipient') return 'contact'
  return actor.startsWith('key:') ? `api_${actor}` : actor
}
