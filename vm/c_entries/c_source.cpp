#include "vm/c_entries/c_entries.hpp"
#include "vm/c_entries/c_texts.hpp"

namespace cairn {

namespace {

/// What every entry goes through: an instance of the program for each calling thread, made by its first call and freed
/// when the thread ends.
constexpr std::string_view kRuntime = R"(
typedef struct instance {
  cairn_vm *vm;
  cairn_module *module;
  cairn_function *functions[ENTRY_COUNT + 1];
} instance;

static pthread_key_t instance_key;
static pthread_once_t instance_once = PTHREAD_ONCE_INIT;

__attribute__((noreturn)) static void die(const char *text) {
  fputs(text, stderr);
  fflush(stderr);
  abort();
}

static void free_instance(void *made) {
  cairn_vm_free(((instance *)made)->vm);
  free(made);
}

static void make_key(void) {
  if (pthread_key_create(&instance_key, free_instance) != 0) die("trap: thread: no storage of a thread's own\n");
}

static instance *here(void) {
  pthread_once(&instance_once, make_key);
  instance *made = pthread_getspecific(instance_key);
  if (made != NULL) return made;
  made = calloc(1, sizeof(*made));
  cairn_options options = cairn_default_options();
  options.capabilities = CAIRN_EVERYTHING;
  options.shares_gpu = true;
  if (made == NULL || (made->vm = cairn_vm_new(&options)) == NULL) die("trap: allocation: no memory\n");
  cairn_diagnostics *diagnostics = NULL;
  made->module = cairn_load_bundle(made->vm, bundle, sizeof(bundle), &diagnostics);
  if (made->module == NULL) die(diagnostics == NULL ? "no memory\n" : cairn_diagnostics_text(diagnostics));
  for (size_t k = 0; k < ENTRY_COUNT; ++k) {
    made->functions[k] = cairn_find(made->module, names[k]);
    if (made->functions[k] == NULL) die("the library has an entry that its program lacks\n");
  }
  if (pthread_setspecific(instance_key, made) != 0) die("trap: thread: no storage of a thread's own\n");
  return made;
}

static void ended(const instance *from, cairn_status status, const cairn_trap *trap) {
  if (status == CAIRN_OK) return;
  die(status == CAIRN_BAD_ARGUMENT ? cairn_problem(from->module) : trap->text);
}

static void call(size_t entry, const cairn_value *arguments, size_t count, cairn_value *result) {
  instance *from = here();
  cairn_trap trap = {0};
  ended(from, cairn_call(from->functions[entry], arguments, count, result, &trap), &trap);
}
)";
constexpr std::string_view kQueued = R"(
static void enqueue(void *stream, size_t entry, const cairn_value *arguments, size_t count, cairn_value *result) {
  instance *from = here();
  cairn_trap trap = {0};
  ended(from, cairn_enqueue(from->functions[entry], stream, arguments, count, result, &trap), &trap);
}
)";

/// The kind a value of that C type has, and the member of cairn_value it goes into. Without a checked program a
/// bundle's storage floats and enums are the unsigned numbers they are held in.
std::pair<std::string_view, std::string_view> kind_of(const CType& type) {
  static constexpr struct {
    std::string_view name, kind, member;
  } kKinds[] = {
      {"bool", "CAIRN_BOOL", "boolean"}, {"uint8_t", "CAIRN_U8", "u64"},   {"uint16_t", "CAIRN_U16", "u64"},
      {"uint32_t", "CAIRN_U32", "u64"},  {"uint64_t", "CAIRN_U64", "u64"}, {"size_t", "CAIRN_U64", "u64"},
      {"int8_t", "CAIRN_I8", "i64"},     {"int16_t", "CAIRN_I16", "i64"},  {"int32_t", "CAIRN_I32", "i64"},
      {"int64_t", "CAIRN_I64", "i64"},   {"float", "CAIRN_F32", "f32"},    {"double", "CAIRN_F64", "f64"},
  };
  for (const auto& row : kKinds) {
    if (row.name == type.name) return {row.kind, row.member};
  }
  return {"CAIRN_RECORD", "memory"};
}

std::string memory(std::string_view kind, const std::string& pointer, const std::string& count) {
  return "{.kind = " + std::string(kind) + ", .as.memory = {(void *)" + pointer + ", " + count + "}}";
}

std::string argument(const CParameter& each) {
  const std::string size = "sizeof(" + each.type.name + ")";
  switch (each.form) {
    case CParameter::Form::View:
      return memory("CAIRN_VIEW", each.name, each.length);
    case CParameter::Form::Borrow:
      if (each.writable) return memory("CAIRN_BORROW", each.name, "1");
      if (each.type.is_struct) return memory("CAIRN_RECORD", each.name, size);
      break;
    case CParameter::Form::Value:
      if (each.type.is_struct) return memory("CAIRN_RECORD", "&" + each.name, size);
      break;
  }
  const auto [kind, member] = kind_of(each.type);
  return "{.kind = " + std::string(kind) + ", .as." + std::string(member) + " = " +
         (each.form == CParameter::Form::Borrow ? "*" : "") + each.name + "}";
}

/// Guards that need the checked program: an enum by value has a declared tag; a null borrow is no borrow.
std::string entry_guards(const CEntry& entry) {
  std::string text;
  for (const CParameter& each : entry.parameters) {
    const bool is_borrow = each.form == CParameter::Form::Borrow;
    if (is_borrow) {
      text += "  if (" + each.name + " == NULL) die(\"trap: view_entry: " + each.name + " is null\\n\");\n";
    }
    if (each.type.tags == 0 || each.form == CParameter::Form::View) continue;
    text += "  if (" + std::string(is_borrow ? "*" : "") + each.name + " >= " + std::to_string(each.type.tags) +
            ") die(\"trap: enum_entry: the tag of " + each.name + " is none of " + std::to_string(each.type.tags) +
            "\\n\");\n";
  }
  return text;
}

std::string definition(const CEntry& entry, std::size_t number, bool queued) {
  std::string text = "\n" + entry_declaration(entry, queued) + " {\n" + entry_guards(entry);
  std::string arguments = "NULL";
  if (!entry.parameters.empty()) {
    arguments = "arguments";
    text += "  const cairn_value arguments[] = {\n";
    for (const CParameter& each : entry.parameters) text += "      " + argument(each) + ",\n";
    text += "  };\n";
  }
  const std::string start = std::string(queued ? "  enqueue(stream, " : "  call(") + std::to_string(number) + ", " +
                            arguments + ", " + std::to_string(entry.parameters.size());
  if (!entry.result) return text + start + ", NULL);\n}\n";
  if (entry.result->is_struct) {
    return text + "  " + entry.result->name +
           " returned;\n  cairn_value result = " + memory("CAIRN_RECORD", "&returned", "sizeof(returned)") + ";\n" +
           start + ", &result);\n  return returned;\n}\n";
  }
  return text + "  cairn_value result = {0};\n" + start + ", &result);\n  return (" + entry.result->name +
         ")result.as." + std::string(kind_of(*entry.result).second) + ";\n}\n";
}

}  // namespace

std::string c_source(const CLibrary& library, std::string_view bundle) {
  constexpr std::size_t kBytesOfLine = 20;
  std::string text = "/* " + library.name +
                     ": the entries of the header of that name, over libcairn. Generated by `cairn build --header`.\n"
                     " *   cc -c " +
                     library.name + ".c $(pkg-config --cflags cairn), and link with $(pkg-config --libs cairn) */\n" +
                     "#include \"" + library.name +
                     ".h\"\n\n#include <cairn.h>\n#include <pthread.h>\n"
                     "#include <stdio.h>\n#include <stdlib.h>\n\nconst char " +
                     interface_symbol(library) + "[] = \"" + library.digest + "\";\n\n#define ENTRY_COUNT " +
                     std::to_string(library.entries.size()) + "\nstatic const char *const names[] = {";
  for (const CEntry& entry : library.entries) text += "\"" + entry.function + "\", ";
  text += "NULL};\n\nstatic const unsigned char bundle[] = {";
  for (std::size_t k = 0; k < bundle.size(); ++k) {
    if (k % kBytesOfLine == 0) text += "\n    ";
    text += std::to_string(static_cast<unsigned>(static_cast<unsigned char>(bundle[k]))) + ",";
  }
  text += "\n};\n" + std::string(kRuntime);
  bool queues = false;
  for (const CEntry& entry : library.entries) queues |= entry.on_device && entry.not_queued.empty();
  if (queues) text += kQueued;
  for (std::size_t k = 0; k < library.entries.size(); ++k) {
    const CEntry& entry = library.entries[k];
    text += definition(entry, k, false);
    if (entry.on_device && entry.not_queued.empty()) text += definition(entry, k, true);
  }
  if (library.on_device()) {
    text += "\nvoid cairn_" + library.name +
            "_device_stream(void *stream) {\n  instance *from = here();\n  cairn_trap trap = {0};\n"
            "  ended(from, cairn_device_stream(from->module, stream, &trap), &trap);\n}\n";
  }
  return text;
}

}  // namespace cairn
