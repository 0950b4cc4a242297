const byExtension: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  json: "application/json",
  xml: "application/xml",
  zip: "application/zip",
  gz: "application/gzip",
  tar: "application/x-tar",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  webm: "video/webm",
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  ts: "text/x-typescript",
  py: "text/x-python",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml"
}

// The first spelling of a type is its preferred extension.
const byType = new Map(Object.entries(byExtension).reverse().map(([extension, type]) => [type, extension]))

export const ofExtension = (extension: string): string | undefined =>
  Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined

/** Parameters (`; charset=…`) and case are ignored. */
export const extensionOf = (mimeType: string): string | undefined => {
  const [type = ""] = mimeType.toLowerCase().split(";")
  return byType.get(type.trim())
}
