#include "frontend/check/declarations.hpp"

namespace cairn {

namespace {

bool wanted(const Symbol& symbol, unsigned want) {
  switch (symbol.kind) {
    case Symbol::Kind::None:
      return false;
    case Symbol::Kind::Function:
    case Symbol::Kind::Extern:
      return (want & kWantFunction) != 0;
    case Symbol::Kind::Record:
    case Symbol::Kind::Sum:
    case Symbol::Kind::Alias:
      return (want & kWantType) != 0;
    case Symbol::Kind::Trait:
      return (want & kWantTrait) != 0;
    case Symbol::Kind::Const:
      return (want & kWantConst) != 0;
    case Symbol::Kind::Layout:
      return (want & kWantLayout) != 0;
    case Symbol::Kind::Recipe:
      return (want & kWantRecipe) != 0;
    case Symbol::Kind::Family:
      return (want & kWantFamily) != 0;
  }
  return false;
}

}  // namespace

Module& Declarations::open(Name full_name, bool library) {
  const auto [slot, fresh] = modules_by_name_.insert(std::uint64_t{full_name.id} + 1);
  if (!fresh) return **slot;
  Module& module = modules_.emplace_back();
  module.name = full_name;
  module.library = library;
  *slot = &module;
  const std::string_view text = names_.text(full_name);
  Name prefix;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t dot = std::min(text.find('.', begin), text.size());
    const Name segment = names_.intern(text.substr(begin, dot - begin));
    const Name longer = names_.intern(text.substr(0, dot));
    *joins_.insert(key(prefix, segment)).first = longer;
    prefix = longer;
    begin = dot + 1;
  }
  return module;
}

const Module* Declarations::module(Name full_name) const {
  Module* const* found = modules_by_name_.find(std::uint64_t{full_name.id} + 1);
  return found == nullptr ? nullptr : *found;
}

bool Declarations::declare(Name module, Name name, const Symbol& symbol) {
  const auto [slot, fresh] = symbols_.insert(key(module, name));
  if (!fresh) return false;
  *slot = symbol;
  return true;
}

Symbol Declarations::find(Name module, Name name) const {
  const Symbol* found = symbols_.find(key(module, name));
  return found == nullptr ? Symbol{} : *found;
}

Name Declarations::joined(Name prefix, Name segment) const {
  const Name* found = joins_.find(key(prefix, segment));
  return found == nullptr ? Name{} : *found;
}

Symbol Declarations::below(Name module, std::span<const Name> path, unsigned want) const {
  for (; path.size() > 1; path = path.subspan(1)) {
    module = joined(module, path.front());
    if (!module) return {};
  }
  const Symbol found = find(module, path.front());
  return wanted(found, want) ? found : Symbol{};
}

Symbol Declarations::lookup(std::span<const Name> path, Name module, unsigned want) const {
  if (const Module* own = this->module(module)) {
    if (!own->imported.empty()) {
      if (const auto from = own->imported.find(path.front()); from != own->imported.end()) {
        if (const Symbol found = below(from->second, path, want)) return found;
      }
    }
    if (path.size() > 1 && !own->aliases.empty()) {
      if (const auto alias = own->aliases.find(path.front()); alias != own->aliases.end()) {
        if (const Symbol found = below(alias->second, path.subspan(1), want)) return found;
      }
    }
  }
  if (module) {
    if (const Symbol found = below(module, path, want)) return found;
  }
  return below({}, path, want);
}

}  // namespace cairn
