/** Who acted, in the words of D1. What the log calls otherwise: keys, and the person who followed a link in a mail. */
export function actorName(actor: string): string {
  if (actor === 'recipient') return 'contact'
  return actor.startsWith('key:') ? `api_${actor}` : actor
}
