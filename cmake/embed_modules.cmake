# Writes a C++ table of the standard library's modules: cmake -DOUTPUT=file.cpp -DROOT=stdlib -P embed_modules.cmake
# stdlib/vec.cairn is the module std.vec, stdlib/net/http.cairn would be std.net.http.
file(GLOB_RECURSE modules RELATIVE ${ROOT} ${ROOT}/*.cairn)
list(SORT modules)
set(text "// Generated from stdlib/ by cmake/embed_modules.cmake.\n#include \"stdlib/embedded.hpp\"\n\nnamespace cairn {\nnamespace {\n\n")
string(APPEND text "constexpr EmbeddedModule kModules[] = {\n    {\"\", \"\"},\n")
foreach(module IN LISTS modules)
  string(REGEX REPLACE "\\.cairn$" "" name "${module}")
  string(REPLACE "/" "." name "${name}")
  file(READ ${ROOT}/${module} body)
  string(APPEND text "    {\"std.${name}\", R\"~cairn~(${body})~cairn~\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const EmbeddedModule> embedded_modules() { return std::span(kModules).subspan(1); }\n\n}  // namespace cairn\n")
file(WRITE ${OUTPUT} "${text}")
