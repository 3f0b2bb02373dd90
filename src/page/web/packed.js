// Data that the page carries: as JSON, or packed (base64 of gzip) and opened when it is needed.

export function dataOf(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

export async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (digit) => digit.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
